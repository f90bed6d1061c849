import { randomBytes } from 'node:crypto';

/**
 * Makes an unguessable task id: 10 characters of creation time, then 26 of randomness (130 bits).
 *
 * The time comes first so that ids made together lie together in an index: with a million stored tasks a new
 * one still touches the same few pages. It tells nothing that `createdAt` does not.
 */
export function makeTaskId(nowMs: number): string {
  const time = Math.max(0, Math.floor(nowMs)).toString(32).padStart(10, '0');
  return time + makeToken();
}

/** 130 random bits in lower-case base 32. */
export function makeToken(): string {
  const bytes = randomBytes(26);
  let text = '';
  for (const byte of bytes) text += ALPHABET[byte & 31];
  return text;
}

const ALPHABET = '0123456789abcdefghijklmnopqrstuv';
