/** The name and version that a client reports: stored for information, and never used for authorization. */
export interface ClientName {
  readonly name: string;
  readonly version?: string;
}

/**
 * Who did something to a task: a principal through a client, or an operator, by the user name of the operating system.
 *
 * Stored with the event, so that it can be shown later.
 */
export type Actor =
  | { readonly principal: string; readonly client?: ClientName }
  | { readonly operator: string; readonly client?: ClientName };

/** Formats an actor as text. */
export function toActorText(actor: Actor): string {
  const who = 'operator' in actor ? `operator ${actor.operator}` : actor.principal;
  if (actor.client === undefined) return who;
  const { name, version } = actor.client;
  return `${who} (${version === undefined ? name : `${name} ${version}`})`;
}
