import { userInfo } from 'node:os';
import { MAX_CLIENT_TEXT_LENGTH } from '../limits.ts';
import type { Actor, ClientName } from '../task/actor.ts';
import { shorten } from '../text/cut-text.ts';
import { OPERATOR, type Principal } from './principal.ts';

/** Who acts, in the form that is kept. What a client says of itself is cut, and left out when it is no text. */
export function toActor(principal: Principal, client?: ClientName): Actor {
  const told = toKeptClient(client);
  return { ...(principal === OPERATOR ? { operator: readUser() } : { principal }), ...(told && { client: told }) };
}

function toKeptClient(client: ClientName | undefined): ClientName | undefined {
  if (typeof client?.name !== 'string' || client.name === '') return undefined;
  const name = shorten(client.name, MAX_CLIENT_TEXT_LENGTH);
  const { version } = client;
  return typeof version === 'string' ? { name, version: shorten(version, MAX_CLIENT_TEXT_LENGTH) } : { name };
}

function readUser(): string {
  try {
    return userInfo().username;
  } catch {
    // A user id without an entry in the system's list has no name.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
