/**
 * How a result says that it is that of an earlier, equal call: in words for the model, and in `_meta`.
 *
 * The words are the last content, because clients use the first as the result.
 */
import type { Task } from '../../task/record.ts';
import type { Joining } from '../server-port.ts';
import { RpcFailure } from '../shared/outcomes/rpc-failure.ts';
import { toDuration } from './hand-over.ts';

/** The `_meta` key that marks the result of an earlier call. */
const JOINED_META = 'holdfast/joined';

/** What a joined result says about itself. */
export interface JoinedOptions {
  readonly joining: Joining;
  readonly now: number;
  /** For how long, in ms, the same call may still get this result. */
  readonly againMs: number;
}

/** Returns the result of an earlier call, marked as such. The parts that its schema covers stay unchanged. */
export function withJoined(
  result: { readonly [key: string]: unknown },
  task: Task,
  options: JoinedOptions,
): { [key: string]: unknown } {
  const { taskId, createdAt, endedAt = options.now } = task;
  const age = { ageMs: toAge(endedAt, options), callAgeMs: toAge(createdAt, options) };
  const _meta = { ...(result._meta as object | undefined), [JOINED_META]: { taskId, ...age } };
  if (options.joining === 'key' || !Array.isArray(result.content)) return { ...result, _meta };
  return { ...result, content: [...result.content, { type: 'text', text: toNote(task, options) }], _meta };
}

/** Like `withJoined`, for a call that ended with a protocol error. */
export function joinedFailure({ code, message, data }: RpcFailure, task: Task, options: JoinedOptions): RpcFailure {
  return new RpcFailure(code, options.joining === 'key' ? message : `${message}\n${toNote(task, options)}`, data);
}

function toNote({ tool, createdAt, endedAt = 0 }: Task, options: JoinedOptions): string {
  const made = `the result of the same call made ${toDuration(toAge(createdAt, options))} ago`;
  if (options.joining === 'running') return `Note: this is ${made}, which was still running. It was not run twice.`;
  const { againMs } = options;
  const sooner = againMs > 0 ? `; within the next ${toDuration(againMs)} that may give this result once more` : '';
  return [
    `Note: this is ${made}. It ended ${toDuration(toAge(endedAt, options))} ago and ${tool} was not run again.`,
    `If you need a newer result, call ${tool} once more${sooner}.`,
  ].join(' ');
}

function toAge(at: number, { now }: JoinedOptions): number {
  return Math.max(0, now - at);
}
