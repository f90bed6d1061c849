import { createInterface } from 'node:readline/promises';
import { isTaskError } from '../errors.ts';
import type { Call, CallOutcome, JsonObject } from '../host/index.ts';
import { toPlainText } from './format.ts';
import { createProgressLine } from './progress-line.ts';
import type { Terminal } from './terminal.ts';

// What shells report for a program ended by Ctrl-C.
const INTERRUPTED = 130;

/** Waits for a call with a bar on stderr, prints how it ended, and acknowledges it; returns the exit code. */
export async function awaitCall(call: Call, terminal: Terminal): Promise<number> {
  const line = createProgressLine(terminal);
  const showing = showUpdates(call, line);
  const stopAsking = onInterrupt(call, terminal);
  try {
    const outcome = await call.outcome();
    await showing;
    line.end();
    printOutcome(call, outcome, terminal);
    await call.ack();
    return toExitCode(outcome);
  } catch (error) {
    line.end();
    if (!isTaskError(error, 'DETACHED')) throw error;
    terminal.remark(`the work goes on; holdfast calls wait ${call.callId} waits for it again`);
    return 0;
  } finally {
    stopAsking();
  }
}

async function showUpdates(call: Call, line: ReturnType<typeof createProgressLine>): Promise<void> {
  let value = 0;
  for await (const update of call.updates()) {
    if (update.type === 'progress') {
      value = update.value / (update.total ?? 1) || 0;
      line.show(Math.min(1, Math.max(0, value)), update.message ?? '');
    }
    if (update.type === 'status') line.show(value, update.message ?? update.status);
    if (update.type === 'estimate') line.show(value, `about ${Math.round(update.estimateMs / 1000)} s`);
  }
}

/** Ctrl-C asks a person what is meant; without one it stops the work. */
function onInterrupt(call: Call, terminal: Terminal): () => void {
  const interrupt = () => {
    decide(call).catch((error: unknown) => terminal.remark(String(error)));
  };
  process.on('SIGINT', interrupt);
  return () => process.off('SIGINT', interrupt);
}

async function decide(call: Call): Promise<void> {
  if (process.stdin.isTTY !== true) return call.cancel('interrupted');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await lines.question('\nc: cancel the work, d: leave it running and go, Enter: wait on ');
  lines.close();
  if (answer.trim().toLowerCase() === 'c') await call.cancel('interrupted');
  if (answer.trim().toLowerCase() === 'd') call.detach();
}

function printOutcome({ callId }: Call, outcome: CallOutcome, terminal: Terminal): void {
  if (terminal.json) {
    terminal.printJson({ callId, ...outcome });
  } else if (outcome.kind === 'result') {
    printResult(outcome.result, terminal);
  } else {
    const why = outcome.kind === 'error' ? outcome.error.message : outcome.reason;
    terminal.remark(`holdfast: ${outcome.kind}: ${toPlainText(why)}`);
  }
}

function printResult({ content, structuredContent }: JsonObject, terminal: Terminal): void {
  const parts = (Array.isArray(content) ? content : []) as { text?: unknown; type?: unknown }[];
  // What a tool wrote is shown as it is: it may be a whole page.
  for (const { text, type } of parts) terminal.print(typeof text === 'string' ? text : `[${String(type)}]`);
  if (parts.length === 0 && structuredContent !== undefined) terminal.printJson(structuredContent);
}

function toExitCode(outcome: CallOutcome): number {
  if (outcome.kind === 'cancelled') return INTERRUPTED;
  return outcome.kind === 'result' && !outcome.isError ? 0 : 1;
}
