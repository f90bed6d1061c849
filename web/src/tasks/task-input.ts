import type { Task } from '../../../src/task/record.ts';
import { asObject, type Json, type JsonObject } from '../form/schema.ts';

/** What the caller gave: tasks of a server keep it beside what was asked before they began. */
export function toInput({ args }: Pick<Task, 'args'>): Json {
  const whole = asObject(args);
  const isOfServer = 'input' in whole && 'upfront' in whole;
  return isOfServer ? ((whole as JsonObject).input ?? null) : (args as Json);
}
