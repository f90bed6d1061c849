import { isTaskError } from '../../../errors.ts';
import type { Call, CallOutcome, CallUpdate, JsonObject } from '../../../host/index.ts';
import { SERVER_MARK, toPlainText } from '../../../text/plain-text.ts';
import { reportFailure } from '../../failure.ts';
import { toShortId } from '../../stores/short-ids.ts';
import { INTERRUPTED, onInterrupt } from '../../terminal/interrupt.ts';
import { createProgressLine, type ProgressLine } from '../../terminal/progress-line.ts';
import type { Terminal } from '../../terminal/terminal.ts';

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
  // Heard of below, and not before the call has ended.
  showing.catch(() => {});
  try {
    const outcome = await call.outcome();
    await showing;
    line.end();
    printOutcome(call, outcome, terminal);
    await call.ack();
    return toExitCode(outcome);
  } catch (error) {
    line.end();
    // One that cannot be shown keeps none of the others from being shown.
    if (!isTaskError(error, 'DETACHED')) return reportFailure(error, terminal);
    terminal.remark(`left pending; holdfast calls wait ${toShortId(call.callId)} waits for it again`);
    return 0;
  }
}

async function showUpdates(call: Call, display: Display): Promise<void> {
  const { line, isOnly } = display;
  const id = toShortId(call.callId);
  let value: number | undefined;
  const show = (message: string) => line.show(value, `${isOnly ? '' : `${call.tool} `}call ${id}: ${message}`);
  // What is over at once needs no bar, and what says nothing is waited for all the same.
  const quiet = setTimeout(() => show('waiting for its result'), QUIET_MS);
  try {
    for await (const update of call.updates()) {
      clearTimeout(quiet);
      if (update.type === 'progress') value = toShare(update);
      const message = toMessage(update);
      if (message !== undefined) show(message);
      const text = toText(update);
      if (text !== undefined) showText(call, text, display);
    }
  } finally {
    clearTimeout(quiet);
  }
}

const QUIET_MS = 1000;

/** What stands beside the bar. */
function toMessage(update: CallUpdate): string | undefined {
  if (update.type === 'progress') return update.message ?? '';
  if (update.type === 'estimate') return `about ${Math.round(update.estimateMs / 1000)} s`;
  if (update.type !== 'status') return undefined;
  return update.message ?? (update.status === 'input_required' ? 'waits for an answer' : update.status);
}

/** What is shown line by line; the rest moves the bar. */
function toText(update: CallUpdate): string | undefined {
  if (update.type === 'text') return update.text;
  if (update.type === 'missed') return `(${update.count} updates are missing)`;
  if (update.type === 'gap') return `(${update.to - update.from + 1} events are missing)`;
  if (update.type === 'unreachable') return `(waits for server ${update.server}: ${update.reason})`;
  return update.type === 'unconnected' ? `(waits for server ${update.server}, which is not connected)` : undefined;
}

/** What a run says on its way is no result: it goes where progress goes, line by line, as it comes. */
function showText({ tool }: Call, text: string, { line, terminal, isOnly }: Display): void {
  if (terminal.json) return;
  line.end();
  // Where people are asked, no line of a server's may look like the question.
  const mark = terminal.keyboard.canAsk ? SERVER_MARK : '';
  for (const one of text.split('\n')) terminal.remark(toPlainText(`${mark}${isOnly ? '' : `${tool}: `}${one}`));
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
  const parts = Array.isArray(content) ? content : [];
  for (const part of parts) terminal.printText(toPartText(part));
  if (parts.length === 0 && structuredContent !== undefined) terminal.printJson(structuredContent);
}

/** The text of a part, else its kind; a server may have put anything in its place. */
function toPartText(part: unknown): string {
  const { text, type } = (part ?? {}) as { text?: unknown; type?: unknown };
  if (typeof text === 'string') return text;
  return typeof type === 'string' ? `[${type}]` : '[no part of a result]';
}

function toExitCode(outcome: CallOutcome): number {
  if (outcome.kind === 'cancelled') return INTERRUPTED;
  return outcome.kind === 'result' && !outcome.isError ? 0 : 1;
}
