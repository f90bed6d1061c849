import { isObject } from '../../is-object.ts';
import type { Answer, JsonObject } from './peers/connection.ts';

/** Which tool is called, and with what. Where `{call}` stands in a text, each call puts its own name. */
export interface ToolCall {
  readonly tool: string;
  readonly args: JsonObject;
}

/** What a soak does to a server. */
export interface Workload {
  readonly measured: ToolCall;
  /** Whether every measured call must come back with a result, or must fail. */
  readonly expect: 'result' | 'error';
  /** The code that failing calls must have. */
  readonly errorCode: string;
  /** What the text of every result must contain, with `{call}` as in the arguments. */
  readonly answer?: string;
  /** A call that becomes a task and takes a while. */
  readonly probe: ToolCall;
  /** A call in whose middle something is killed. */
  readonly killed: ToolCall;
}

const CALL = '{call}';

/** A call with its name in it. */
export function toCall({ tool, args }: ToolCall, name: string): JsonObject {
  const text = JSON.stringify(args).replaceAll(CALL, JSON.stringify(name).slice(1, -1));
  return { name: tool, arguments: JSON.parse(text) };
}

/** What is wrong with an answer, by the name it has in a report; nothing when it is as expected. */
export function judgeAnswer(answer: Answer, workload: Workload, name: string): string | undefined {
  const code = toErrorCode(answer);
  if (workload.expect === 'error') return code === undefined ? 'missing_error' : undefined;
  if (code !== undefined) return `unexpected_error:${code}`;
  if (workload.answer === undefined || answer.kind === 'error') return undefined;
  const wanted = workload.answer.replaceAll(CALL, name);
  return toText(answer.result).includes(wanted) ? undefined : 'wrong_answer';
}

/** The code of an error, `isError` for a result that is one, nothing for a result. */
export function toErrorCode(answer: Answer): string | undefined {
  if (answer.kind === 'error') return answer.code;
  return answer.result.isError === true ? 'isError' : undefined;
}

function toText({ content }: JsonObject): string {
  const parts = Array.isArray(content) ? content : [];
  return parts.map((part) => (isObject(part) && typeof part.text === 'string' ? part.text : '')).join('\n');
}
