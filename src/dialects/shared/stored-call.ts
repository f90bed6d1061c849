import type { Json } from '../../task/json.ts';
import type { Task } from '../../task/record.ts';
import type { StoredCall } from '../server-port.ts';

/** The call that a task was made of, also of one that an older build wrote, which named the input `args`. */
export function readStoredCall(kept: unknown): StoredCall {
  const { args, ...stored } = (kept ?? {}) as StoredCall & { readonly args?: Json };
  return args === undefined || stored.input !== undefined ? stored : { ...stored, input: args };
}

/** What a task's tool was called with; nothing when that is not kept any more. */
export function readInput({ args }: Pick<Task, 'args'>): Json | undefined {
  return args === null || typeof args !== 'object' ? undefined : readStoredCall(args).input;
}
