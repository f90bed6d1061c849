import { TaskError } from '../errors.ts';
import type { Json } from '../task/json.ts';
import type { OutcomeError, SettledOutcome } from '../task/outcome.ts';
import type { ParsedTool } from './tool.ts';

/**
 * What is to be written when an attempt is over.
 *
 * - settle: the task ends with this outcome.
 * - retry:  another attempt later.
 * - none:   somebody else has decided (cancelled, lost), or the lease has been given back.
 */
export type Verdict =
  | { readonly kind: 'settle'; readonly outcome: SettledOutcome }
  | { readonly kind: 'retry' }
  | { readonly kind: 'none' };

/** The verdict on a tool that returned. */
export function toResultVerdict(value: unknown, maxBytes: number): Verdict {
  try {
    return { kind: 'settle', outcome: { kind: 'result', value: toJson(value, maxBytes) } };
  } catch (error) {
    return toErrorOutcome(error);
  }
}

/** The verdict on a tool that threw or was stopped. */
export function toErrorVerdict(error: unknown, tool: ParsedTool, attempt: number): Verdict {
  if (tool.idempotent && attempt < tool.retry.maxAttempts && tool.retry.when(error)) return { kind: 'retry' };
  return toErrorOutcome(error);
}

/** Checks that a value survives JSON, and that it is not too big to keep. */
export function toJson(value: unknown, maxBytes: number): Json {
  if (value === undefined) return null;
  const text = stringify(value);
  const bytes = Buffer.byteLength(text);
  if (bytes > maxBytes) {
    throw new TaskError(
      'RESULT_TOO_LARGE',
      `the result is ${bytes} bytes of JSON; legal are at most ${maxBytes}: return a link to a file instead, or raise maxResultBytes`,
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
    why = error instanceof Error ? (error.message.split('\n')[0] ?? why) : String(error);
  }
  throw new TaskError('RESULT_NOT_SERIALIZABLE', `the result cannot be kept as JSON: ${why}`);
}

function toErrorOutcome(error: unknown): Verdict {
  return { kind: 'settle', outcome: { kind: 'error', error: toOutcomeError(error) } };
}

/** A failed tool is data: its own words are kept. */
function toOutcomeError(error: unknown): OutcomeError {
  if (!(error instanceof Error)) return { code: 'TOOL_FAILED', message: `the tool threw ${describe(error)}` };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : 'TOOL_FAILED';
  return {
    code,
    message: error.message || error.name,
    ...(error instanceof TaskError && error.data ? { data: error.data as Json } : {}),
    ...(error.stack ? { stack: error.stack } : {}),
  };
}

function describe(thrown: unknown): string {
  try {
    return JSON.stringify(thrown) ?? String(thrown);
  } catch {
    return String(thrown);
  }
}
