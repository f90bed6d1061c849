/**
 * Lists of what this server has none of, and has not declared: empty.
 *
 * Clients in the field ask for them all the same, and take an error for a broken server. What would name a single prompt
 * or resource is an error as ever.
 */
import { invalidParams } from '../../dialects/shared/outcomes/rpc-failure.ts';

const LISTS: ReadonlyMap<unknown, string> = new Map([
  ['prompts/list', 'prompts'],
  ['resources/list', 'resources'],
  ['resources/templates/list', 'resourceTemplates'],
]);

export function isList(method: unknown): boolean {
  return LISTS.has(method);
}

/** The empty list; nothing for another method. */
export function listNothing(method: string, cursor: unknown): object | undefined {
  const member = LISTS.get(method);
  if (member === undefined) return undefined;
  if (cursor === undefined || typeof cursor === 'string') return { [member]: [] };
  throw invalidParams(`${method}: cursor is of type ${typeof cursor}; expected a text`);
}
