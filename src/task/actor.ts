/** What a client calls itself; a claim of its own, worth keeping and never a right. */
export interface ClientName {
  readonly name: string;
  readonly version?: string;
}

/**
 * Who did something to a task: a principal through a client, or the operator, by the name the system knows.
 *
 * Kept with what was done, so that it can be told later who it was.
 */
export type Actor =
  | { readonly principal: string; readonly client?: ClientName }
  | { readonly operator: string; readonly client?: ClientName };

/** One actor in words. */
export function toActorText(actor: Actor): string {
  const who = 'operator' in actor ? `operator ${actor.operator}` : actor.principal;
  if (actor.client === undefined) return who;
  const { name, version } = actor.client;
  return `${who} (${version === undefined ? name : `${name} ${version}`})`;
}
