/**
 * Answers lists that this server does not have and has not declared with an empty list.
 *
 * Real clients request them anyway, and take an error for a broken server. A request for a single prompt or resource is
 * still an error.
 */
import { invalidParams } from '../../dialects/shared/outcomes/rpc-failure.ts';

const LISTS: ReadonlyMap<unknown, string> = new Map([
  ['prompts/list', 'prompts'],
  ['resources/list', 'resources'],
  ['resources/templates/list', 'resourceTemplates'],
]);

export function isListMethod(method: unknown): boolean {
  return LISTS.has(method);
}

/** Returns the empty list; undefined for another method. */
export function toEmptyList(method: string, cursor: unknown): object | undefined {
  const member = LISTS.get(method);
  if (member === undefined) return undefined;
  if (cursor === undefined || typeof cursor === 'string') return { [member]: [] };
  throw invalidParams(`${method}: cursor is of type ${typeof cursor}; expected a text`);
}
