/**
 * What stands before the names of the tools to wait with, so that two servers can be used by one agent.
 *
 * Names of tools must be valid for every model's API: 64 letters, digits, `_` and `-` at most, no digit first.
 */
import { createHash } from 'node:crypto';

/** What stands before the names of the companion tools. */
export interface CompanionPrefix {
  /** With the line that sets it apart; empty when there is none. */
  readonly text: string;
  /** For every client, or only where the client does not name the server itself. */
  readonly when: 'always' | 'needed';
}

const MAX_TEXT = 64 - '_task_answer'.length;

// A client that sets the server's name before it as well must stay within 64 too.
const MAX_NAME = 32;
const HASH_LENGTH = 8;

/** What the owner may choose, in words. */
export const COMPANION_PREFIX_EXPECTED = `true, false or 1 to ${MAX_TEXT} of A–Z, a–z, 0–9, _ -, the first no digit and no -`;

/** Whether the owner may choose this. */
export function isCompanionPrefix(value: unknown): value is boolean | string {
  if (typeof value === 'boolean') return true;
  return typeof value === 'string' && value.length <= MAX_TEXT && /^[A-Za-z_][A-Za-z0-9_-]*$/.test(value);
}

/** The owner's choice; without one, the server's name stands where it is needed. */
export function toCompanionPrefix(choice: boolean | string | undefined, serverName: string): CompanionPrefix {
  if (choice === false) return { text: '', when: 'always' };
  const text = typeof choice === 'string' ? choice : toPrefix(serverName);
  return { text: `${text}_`, when: choice === undefined ? 'needed' : 'always' };
}

/** The name as far as it can be used. What is lost must not make two servers the same. */
function toPrefix(name: string): string {
  const usable = name.replace(/[^A-Za-z0-9_-]+/g, '_').replace(/^[_-]+|[_-]+$/g, '');
  const first = /^\d/.test(usable) ? `_${usable}` : usable;
  if (first !== '' && first.length <= MAX_NAME && /^[ -~]*$/.test(name)) return first;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_LENGTH);
  return `${first.slice(0, MAX_NAME - HASH_LENGTH - 1)}_${hash}`;
}
