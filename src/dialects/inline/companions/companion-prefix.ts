/**
 * The prefix of the companion tools' names, so that one agent can use two servers.
 *
 * Tool names must be valid for every model's API: at most 64 letters, digits, `_` and `-`, and no digit first.
 */
import { createHash } from 'node:crypto';

/** The prefix of the companion tools' names. */
export interface CompanionPrefix {
  /** Ends with the separating `_`; empty for no prefix. */
  readonly text: string;
  /** For every client, or only for clients that do not add the server's name themselves. */
  readonly when: 'always' | 'needed';
}

const MAX_TEXT = 64 - '_task_answer'.length;

// A client that also prepends the server's name must stay within 64 characters too.
const MAX_NAME = 32;
const HASH_LENGTH = 8;

/** The values that the owner may set, in words. */
export const COMPANION_PREFIX_EXPECTED = `true, false or 1 to ${MAX_TEXT} of A–Z, a–z, 0–9, _ -, the first no digit and no -`;

/** Whether the owner may set this value. */
export function isCompanionPrefix(value: unknown): value is boolean | string {
  if (typeof value === 'boolean') return true;
  return typeof value === 'string' && value.length <= MAX_TEXT && /^[A-Za-z_][A-Za-z0-9_-]*$/.test(value);
}

/** Returns the owner's choice; without one, the server's name is the prefix where one is needed. */
export function toCompanionPrefix(choice: boolean | string | undefined, serverName: string): CompanionPrefix {
  if (choice === false) return { text: '', when: 'always' };
  const text = typeof choice === 'string' ? choice : toPrefix(serverName);
  return { text: `${text}_`, when: choice === undefined ? 'needed' : 'always' };
}

/** Returns the usable part of a name. A hash keeps two names distinct that would become the same. */
function toPrefix(name: string): string {
  const usable = name.replace(/[^A-Za-z0-9_-]+/g, '_').replace(/^[_-]+|[_-]+$/g, '');
  const first = /^\d/.test(usable) ? `_${usable}` : usable;
  if (first !== '' && first.length <= MAX_NAME && /^[ -~]*$/.test(name)) return first;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_LENGTH);
  return `${first.slice(0, MAX_NAME - HASH_LENGTH - 1)}_${hash}`;
}
