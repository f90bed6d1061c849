import { isTaskError, TaskError } from '../../errors.ts';
import type { Json } from '../../task/json.ts';
import type { OutcomeError, SettledOutcome } from '../../task/outcome.ts';
import { shorten } from '../../text/cut-text.ts';
import type { ParsedTool } from '../tool.ts';

/** The longest message and the longest stack that are stored of an error, in characters. */
const MAX_ERROR_TEXT = 65_536;

/**
 * What is to be written when an attempt is over.
 *
 * - settle: the task ends with this outcome.
 * - retry:  another attempt later; an attempt that is handed back had not started, and does not count.
 * - none:   decided elsewhere (cancelled, lost), or the lease has been given back.
 */
export type Verdict =
  | { readonly kind: 'settle'; readonly outcome: SettledOutcome }
  | { readonly kind: 'retry'; readonly reason?: 'crashed' | 'retry' | 'handed-back' }
  | { readonly kind: 'none' };

/** The verdict on a tool that returned. */
export function toResultVerdict(value: unknown, maxBytes: number): Verdict {
  try {
    return { kind: 'settle', outcome: { kind: 'result', value: toJson(value, maxBytes) } };
  } catch (error) {
    return toErrorOutcome(error);
  }
}

/** The verdict on a tool that threw or was stopped. Never throws, whatever the tool's own functions do. */
export function toErrorVerdict(
  error: unknown,
  tool: ParsedTool,
  { attempt, report }: { readonly attempt: number; report(error: unknown): void },
): Verdict {
  try {
    if (tool.idempotent && attempt < tool.retry.maxAttempts && tool.retry.when(error)) return { kind: 'retry' };
  } catch (cause) {
    report(new TaskError('TOOL_FAILED', `tool ${tool.name}: retry.when threw, so there is no retry`, { cause }));
  }
  return toErrorOutcome(error);
}

/** Returns the value as JSON restores it; throws if it cannot be serialized, or is too big to store. */
export function toJson(value: unknown, maxBytes: number): Json {
  if (value === undefined) return null;
  const text = stringify(value);
  const bytes = Buffer.byteLength(text);
  if (bytes > maxBytes) {
    throw new TaskError(
      'RESULT_TOO_LARGE',
      `the result is ${bytes} bytes of JSON; expected at most ${maxBytes}: return a link to a file instead, or raise maxResultBytes`,
      { data: { bytes, maxBytes } },
    );
  }
  return JSON.parse(text) as Json;
}

function stringify(value: unknown): string {
  let why = `a ${typeof value} has no JSON form`;
  try {
    const text = JSON.stringify(value) as string | undefined;
    if (text !== undefined) return text;
  } catch (error) {
    why = toOutcomeError(error).message.split('\n')[0] ?? why;
  }
  throw new TaskError('RESULT_NOT_SERIALIZABLE', `the result cannot be kept as JSON: ${why}`);
}

function toErrorOutcome(error: unknown): Verdict {
  return { kind: 'settle', outcome: toEndedElsewhere(error) ?? { kind: 'error', error: toOutcomeError(error) } };
}

/** A tool whose work runs elsewhere may learn that it was cancelled there, or that it is unknown what became of it. */
function toEndedElsewhere(error: unknown): SettledOutcome | undefined {
  try {
    if (isTaskError(error, 'CANCELLED')) return { kind: 'cancelled', reason: toStoredText(error.message) };
    if (isTaskError(error, 'INTERRUPTED')) return { kind: 'interrupted', reason: toStoredText(error.message) };
  } catch {
    // Reading a thrown value may throw.
  }
  return undefined;
}

function toOutcomeError(error: unknown): OutcomeError {
  try {
    return readError(error);
  } catch {
    // A thrown value may have getters or proxy traps that throw too.
    return { code: 'TOOL_FAILED', message: 'the tool threw something that cannot be read' };
  }
}

/** The failure of a tool is data: its own message, code and stack are kept. */
function readError(error: unknown): OutcomeError {
  if (!(error instanceof Error))
    return { code: 'TOOL_FAILED', message: toStoredText(`the tool threw ${describe(error)}`) };
  const { message: text, name, code: given, stack } = error as Error & { readonly code?: unknown };
  const code = typeof given === 'string' && given !== '' ? toStoredText(given) : 'TOOL_FAILED';
  const message = toStoredText(String(text || name));
  // The stack of one of our own errors does not help the tool's author.
  if (error instanceof TaskError) return { code, message, ...(error.data ? { data: toShownData(error.data) } : {}) };
  const shown = { code, message, ...(typeof stack === 'string' ? { stack: toStoredText(stack) } : {}) };
  return isRpcCode(given) ? { ...shown, rpc: given, ...toRpcData(error) } : shown;
}

/** Errors of JSON-RPC have negative codes; other libraries number theirs from 1 up. */
function isRpcCode(code: unknown): code is number {
  return Number.isInteger(code) && (code as number) < 0;
}

function toRpcData(error: Error): { data?: Json } {
  return 'data' in error && error.data !== undefined ? { data: toShownData(error.data) } : {};
}

function toStoredText(text: string): string {
  return shorten(text, MAX_ERROR_TEXT);
}

/** Details that cannot be serialized are only described: the outcome they belong to matters more. */
function toShownData(data: unknown): Json {
  try {
    return JSON.parse(JSON.stringify(data)) as Json;
  } catch {
    return describe(data);
  }
}

function describe(thrown: unknown): string {
  try {
    return JSON.stringify(thrown) ?? String(thrown);
  } catch {
    return Object.prototype.toString.call(thrown);
  }
}
