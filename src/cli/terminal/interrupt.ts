import type { Call } from '../../host/index.ts';
import { toPlainText } from '../../text/plain-text.ts';
import { toShortId } from '../stores/short-ids.ts';
import type { Terminal } from './terminal.ts';

/** The exit code that shells report for a program ended by Ctrl-C. */
export const INTERRUPTED = 130;

const QUESTION = '\nc: cancel the work, d: leave it running and go, Enter: wait on ';

export interface InterruptOptions {
  readonly calls: readonly Pick<Call, 'callId' | 'cancel' | 'detach'>[];
  readonly terminal: Pick<Terminal, 'json' | 'keyboard' | 'remark'>;
  /** Exits the program at once. @default process.exit */
  readonly exit?: (code: number) => void;
}

/**
 * Handles Ctrl-C while calls are waited for: asks the person what to do, or cancels the work if there is none. A second
 * Ctrl-C exits at once, and the calls stay in the ledger. Returns a function that removes the handler.
 */
export function onInterrupt(options: InterruptOptions): () => void {
  const { terminal } = options;
  const over = new AbortController();
  let isDeciding = false;
  const stop = terminal.keyboard.onInterrupt(() => {
    if (isDeciding) return leave(options);
    isDeciding = true;
    decide(options, over.signal)
      .then((isContinued) => {
        isDeciding = !isContinued;
      })
      .catch((error: unknown) => terminal.remark(toPlainText(String(error))));
  });
  return () => {
    over.abort();
    stop();
  };
}

/** Returns whether to go on waiting as before. */
async function decide(options: InterruptOptions, signal: AbortSignal): Promise<boolean> {
  const { calls, terminal } = options;
  const choice = await askChoice(terminal, signal);
  if (signal.aborted || choice === 'wait') return true;
  if (choice === 'leave') leave(options);
  if (choice === 'detach') for (const call of calls) call.detach();
  if (choice === 'cancel') {
    if (!terminal.json) terminal.remark('cancelling; Ctrl-C again ends at once');
    await Promise.all(calls.map((call) => call.cancel('interrupted')));
  }
  return false;
}

async function askChoice({ json, keyboard }: InterruptOptions['terminal'], signal: AbortSignal) {
  if (json || !keyboard.canAsk) return 'cancel';
  for (;;) {
    const key = await keyboard.askKey(QUESTION, { signal });
    if (key === undefined) return 'leave';
    if (key === '') return 'wait';
    if (key === 'c') return 'cancel';
    if (key === 'd') return 'detach';
  }
}

function leave({ calls, terminal, exit = process.exit }: InterruptOptions): void {
  const ids = calls.map(({ callId }) => toShortId(callId)).join(', ');
  if (!terminal.json) terminal.remark(`left pending: ${ids}; holdfast calls resume waits for them again`);
  exit(INTERRUPTED);
}
