// @ts-check
/** The server's half of a dialect that nobody speaks: a call gets a ticket, and asks what became of it. */
import { isTerminal } from 'holdfast';

/** @type {import('holdfast/dialects').ServerDialect} */
export const toyServer = {
  name: 'toy',
  takes: ({ meta }) => (meta.toy === true ? 'asked' : undefined),
  async answer(call) {
    const { task } = await call.submit({ dialect: 'toy' });
    return { toy: { ticket: task.taskId } };
  },
  methods: {
    'toy/look': {
      async answer({ params, caller: { principal } }, port) {
        const engine = await port.openEngine();
        const { status, outcome } = await engine.get(String(params.ticket), { principal });
        return isTerminal(status) ? { done: true, result: toResult(outcome) } : { done: false };
      },
    },
  },
};

/** @param {import('holdfast').Outcome | undefined} outcome */
function toResult(outcome) {
  if (outcome?.kind === 'result') return outcome.value;
  return { content: [{ type: 'text', text: `it ended as ${outcome?.kind}` }], isError: true };
}
