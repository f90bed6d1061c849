import type { Task } from '../../../src/task/record.ts';
import { asObject, type Json, type JsonObject } from '../form/schema.ts';

/** The caller's arguments: a server's tasks store them together with the answers to questions asked before the start. */
export function toInput({ args }: Pick<Task, 'args'>): Json {
  const whole = asObject(args);
  const isOfServer = 'input' in whole && 'upfront' in whole;
  return isOfServer ? ((whole as JsonObject).input ?? null) : (args as Json);
}
