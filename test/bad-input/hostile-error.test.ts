import { describe, expect, it } from 'vitest';
import { openLightRig, storeKinds } from '../engine/open-rig.ts';

/** An error that throws again when somebody asks for one of its parts. */
function hostile(part: 'message' | 'stack' | 'code'): Error {
  return Object.defineProperty(new Error('looks harmless'), part, {
    get() {
      throw new Error(`do not read my ${part}`);
    },
  });
}

const oddStack: { self?: unknown } = {};
oddStack.self = oddStack;

const UNREADABLE = 'the tool threw something that cannot be read';

const THROWN: readonly [what: string, thrown: unknown, message: string][] = [
  ['null', null, 'the tool threw null'],
  ['a symbol', Symbol('why'), 'the tool threw Symbol(why)'],
  ['a frozen Error', Object.freeze(new Error('frozen')), 'frozen'],
  [
    'an Error with a code and a stack that are no text',
    Object.assign(new Error('odd'), { code: 42, stack: oddStack }),
    'odd',
  ],
  ['an Error whose message throws', hostile('message'), UNREADABLE],
  ['an Error whose code throws', hostile('code'), UNREADABLE],
  ['an Error whose stack throws', hostile('stack'), UNREADABLE],
];

describe.each(storeKinds)('a tool on the %s store', (kind) => {
  it.each(THROWN)(
    '[INPUT-01] that throws %s fails its task, is not run again, and frees its slot',
    async (...thrown) => {
      const [, error, message] = thrown;
      const rig = await openLightRig(kind);
      const tools = {
        fails: { run: () => Promise.reject(error) },
        // Whether it is worth another attempt is asked first, and must not trip over it either.
        repeatable: { idempotent: true, run: () => Promise.reject(error) },
        fine: { run: () => 'fine' },
      };
      const engine = await rig.engine(tools, { concurrency: 1 });
      for (const tool of ['fails', 'repeatable']) {
        const { taskId } = (await engine.submit(tool)).task;
        const outcome = { kind: 'error', error: { code: 'TOOL_FAILED', message } };
        expect(await engine.outcome(taskId)).toMatchObject(outcome);
        expect(await engine.get(taskId)).toMatchObject({ status: 'failed', statusMessage: message, attempt: 1 });
      }
      const { taskId } = (await engine.submit('fine')).task;
      expect(await engine.outcome(taskId)).toEqual({ kind: 'result', value: 'fine' });
    },
  );

  it('[INPUT-01] that throws a proxy nobody may look into fails its task, and the trouble is reported', async () => {
    const rig = await openLightRig(kind);
    const getPrototypeOf = () => {
      throw new Error('no');
    };
    const run = () => {
      throw new Proxy({}, { getPrototypeOf });
    };
    const engine = await rig.engine({ fails: { idempotent: true, run } });
    const { taskId } = (await engine.submit('fails')).task;
    expect(await engine.outcome(taskId)).toMatchObject({ error: { code: 'TOOL_FAILED', message: UNREADABLE } });
    expect(rig.takeErrors()).toEqual([expect.objectContaining({ code: 'TOOL_FAILED' })]);
  });

  it('[INPUT-01] that throws keeps the stack for its author', async () => {
    const rig = await openLightRig(kind);
    const engine = await rig.engine({ fails: { run: () => Promise.reject(new Error('here')) } });
    const { taskId } = (await engine.submit('fails')).task;
    const stack = expect.stringContaining('hostile-error.test');
    expect(await engine.outcome(taskId)).toMatchObject({ error: { message: 'here', stack } });
  });

  it('[INPUT-01] that throws a message of many megabytes leaves a part of it', async () => {
    const rig = await openLightRig(kind);
    const engine = await rig.engine({ fails: { run: () => Promise.reject(new Error('x'.repeat(20_000_000))) } });
    const { taskId } = (await engine.submit('fails')).task;
    await engine.outcome(taskId);
    const { statusMessage, outcome } = await engine.get(taskId);
    expect(statusMessage).toMatch(/^x{1000,}…$/);
    expect(JSON.stringify(outcome).length).toBeLessThan(200_000);
  });
});
