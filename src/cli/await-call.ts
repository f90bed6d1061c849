import { isTaskError } from '../errors.ts';
import type { Call, CallOutcome, JsonObject } from '../host/index.ts';
import { toPlainText } from './format.ts';
import { INTERRUPTED, onInterrupt } from './interrupt.ts';
import { createProgressLine, type ProgressLine } from './progress-line.ts';
import type { Terminal } from './terminal.ts';

/** Waits for calls with a bar on stderr, prints how each ended, and acknowledges it; returns the worst exit code. */
export async function awaitCalls(calls: readonly Call[], terminal: Terminal): Promise<number> {
  const line = createProgressLine(terminal);
  const stopListening = onInterrupt({ calls, terminal });
  try {
    const codes = await Promise.all(
      calls.map((call) => awaitOne(call, { line, terminal, isOnly: calls.length === 1 })),
    );
    return Math.max(0, ...codes);
  } finally {
    stopListening();
  }
}

interface Display {
  readonly line: ProgressLine;
  readonly terminal: Terminal;
  /** No other call is waited for beside it. */
  readonly isOnly: boolean;
}

async function awaitOne(call: Call, display: Display): Promise<number> {
  const { line, terminal } = display;
  const showing = showUpdates(call, display);
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
    terminal.remark(`left pending; holdfast calls wait ${call.callId} waits for it again`);
    return 0;
  }
}

async function showUpdates(call: Call, display: Display): Promise<void> {
  const { line, isOnly } = display;
  let value: number | undefined;
  const show = (message: string) => line.show(value, isOnly ? message : `${call.tool}: ${message}`);
  for await (const update of call.updates()) {
    if (update.type === 'progress') {
      value = toShare(update);
      show(update.message ?? '');
    }
    if (update.type === 'status') show(update.message ?? update.status);
    if (update.type === 'estimate') show(`about ${Math.round(update.estimateMs / 1000)} s`);
    if (update.type === 'text') showText(call, update.text, display);
    if (update.type === 'missed') showText(call, `(${update.count} updates are missing)`, display);
    if (update.type === 'gap') showText(call, `(${update.to - update.from + 1} events are missing)`, display);
  }
}

/** What a run says on its way is no result: it goes where progress goes, line by line, as it comes. */
function showText({ tool }: Call, text: string, { line, terminal, isOnly }: Display): void {
  if (terminal.json) return;
  line.end();
  for (const one of text.split('\n')) terminal.remark(`${isOnly ? '' : `${tool}: `}${toPlainText(one)}`);
}

/** Nothing when the whole is not known. */
function toShare({ value, total = 1 }: { readonly value: number; readonly total?: number }): number | undefined {
  const share = value / total;
  return share >= 0 && share <= 1 ? share : undefined;
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
