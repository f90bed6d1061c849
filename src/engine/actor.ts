import { userInfo } from 'node:os';
import { MAX_CLIENT_TEXT_LENGTH } from '../limits.ts';
import type { Actor, ClientName } from '../task/actor.ts';
import { shorten } from '../text/cut-text.ts';
import { OPERATOR, type Principal } from './principal.ts';

/**
 * Returns who acts, in the form that is stored. The name and version a client reports are shortened, and omitted if not
 * strings.
 */
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
    // A user id without an entry in the system's user database has no name.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
