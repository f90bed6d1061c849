import { isObject } from '../../is-object.ts';
import type { Answer, JsonObject } from './peers/connection.ts';

/** The tool to call and its arguments. `{call}` in a text is replaced by the name of each call. */
export interface ToolCall {
  readonly tool: string;
  readonly args: JsonObject;
}

/** The calls that a soak makes. */
export interface Workload {
  readonly measured: ToolCall;
  /** Whether every measured call must return a result, or must fail. */
  readonly expect: 'result' | 'error';
  /** The error code that failing calls must have. */
  readonly errorCode: string;
  /** Text that every result must contain, with `{call}` as in the arguments. */
  readonly answer?: string;
  /** A call that becomes a task and takes a while. */
  readonly probe: ToolCall;
  /** A call during which a process is killed. */
  readonly killed: ToolCall;
}

const CALL = '{call}';

/** Builds a call with its name inserted. */
export function toCall({ tool, args }: ToolCall, name: string): JsonObject {
  const text = JSON.stringify(args).replaceAll(CALL, JSON.stringify(name).slice(1, -1));
  return { name: tool, arguments: JSON.parse(text) };
}

/** Returns the fault of a response by its report name; undefined when it is as expected. */
export function judgeAnswer(answer: Answer, workload: Workload, name: string): string | undefined {
  const code = toErrorCode(answer);
  if (workload.expect === 'error') return code === undefined ? 'missing_error' : undefined;
  if (code !== undefined) return `unexpected_error:${code}`;
  if (workload.answer === undefined || answer.kind === 'error') return undefined;
  const wanted = workload.answer.replaceAll(CALL, name);
  return toText(answer.result).includes(wanted) ? undefined : 'wrong_answer';
}

/** Returns the code of an error, `isError` for an error result, undefined for a result. */
export function toErrorCode(answer: Answer): string | undefined {
  if (answer.kind === 'error') return answer.code;
  return answer.result.isError === true ? 'isError' : undefined;
}

function toText({ content }: JsonObject): string {
  const parts = Array.isArray(content) ? content : [];
  return parts.map((part) => (isObject(part) && typeof part.text === 'string' ? part.text : '')).join('\n');
}
