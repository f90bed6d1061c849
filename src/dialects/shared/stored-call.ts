import type { Json } from '../../task/json.ts';
import type { Task } from '../../task/record.ts';
import type { StoredCall } from '../server-port.ts';

/** Returns the call that a task was created from; also reads one that an older build wrote, which named the input `args`. */
export function readStoredCall(kept: unknown): StoredCall {
  const { args, ...stored } = (kept ?? {}) as StoredCall & { readonly args?: Json };
  return args === undefined || stored.input !== undefined ? stored : { ...stored, input: args };
}

/** Returns the input of a task's tool; undefined when it is no longer stored. */
export function readInput({ args }: Pick<Task, 'args'>): Json | undefined {
  return args === null || typeof args !== 'object' ? undefined : readStoredCall(args).input;
}
