import { isTaskError } from '../../../errors.ts';
import type { Call, CallOutcome, CallUpdate, JsonObject } from '../../../host/index.ts';
import { SERVER_MARK, toPlainText } from '../../../text/plain-text.ts';
import { reportFailure } from '../../failure.ts';
import { toShortId } from '../../stores/short-ids.ts';
import { INTERRUPTED, onInterrupt } from '../../terminal/interrupt.ts';
import { createProgressLine, type ProgressLine } from '../../terminal/progress-line.ts';
import type { Terminal } from '../../terminal/terminal.ts';

/** Waits for calls with a progress bar on stderr, prints and acknowledges each outcome, and returns the worst exit code. */
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
  /** Whether this is the only call being waited for. */
  readonly isOnly: boolean;
}

async function awaitOne(call: Call, display: Display): Promise<number> {
  const { line, terminal } = display;
  const showing = showUpdates(call, display);
  // `showing` is awaited below, after the call has ended; until then its rejection must not count as unhandled.
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
    // A call that cannot be shown must not keep the others from being shown.
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
  // A call that ends at once needs no bar; one without updates still shows that it is being waited for.
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

/** The text beside the progress bar. */
function toMessage(update: CallUpdate): string | undefined {
  if (update.type === 'progress') return update.message ?? '';
  if (update.type === 'estimate') return `about ${Math.round(update.estimateMs / 1000)} s`;
  if (update.type !== 'status') return undefined;
  return update.message ?? (update.status === 'input_required' ? 'waits for an answer' : update.status);
}

/** The text of updates that are printed line by line; the other updates only move the bar. */
function toText(update: CallUpdate): string | undefined {
  if (update.type === 'text') return update.text;
  if (update.type === 'missed') return `(${update.count} updates are missing)`;
  if (update.type === 'gap') return `(${update.to - update.from + 1} events are missing)`;
  if (update.type === 'unreachable') return `(waits for server ${update.server}: ${update.reason})`;
  return update.type === 'unconnected' ? `(waits for server ${update.server}, which is not connected)` : undefined;
}

/** Text streamed during a run is not the result: it goes to stderr with the progress, line by line as it arrives. */
function showText({ tool }: Call, text: string, { line, terminal, isOnly }: Display): void {
  if (terminal.json) return;
  line.end();
  // Where people are asked questions, no server output may look like a question.
  const mark = terminal.keyboard.canAsk ? SERVER_MARK : '';
  for (const one of text.split('\n')) terminal.remark(toPlainText(`${mark}${isOnly ? '' : `${tool}: `}${one}`));
}

/** Returns undefined when the total is not known. */
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

/** The text of a part, or else its type; a server may have sent anything instead of a part. */
function toPartText(part: unknown): string {
  const { text, type } = (part ?? {}) as { text?: unknown; type?: unknown };
  if (typeof text === 'string') return text;
  return typeof type === 'string' ? `[${type}]` : '[no part of a result]';
}

function toExitCode(outcome: CallOutcome): number {
  if (outcome.kind === 'cancelled') return INTERRUPTED;
  return outcome.kind === 'result' && !outcome.isError ? 0 : 1;
}
