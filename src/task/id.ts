import { randomBytes } from 'node:crypto';

/**
 * Makes an unguessable task id: 10 characters of creation time, then 26 random characters (130 bits).
 *
 * The time comes first so that ids created together are stored together in an index: with a million stored tasks a new one still
 * touches the same few pages. The time reveals nothing that `createdAt` does not.
 */
export function makeTaskId(nowMs: number): string {
  const time = Math.max(0, Math.floor(nowMs)).toString(32).padStart(10, '0');
  return time + makeToken();
}

/** Returns 130 random bits in lower-case base 32. */
export function makeToken(): string {
  let text = '';
  for (const byte of takeRandom(26)) text += ALPHABET[byte & 31];
  return text;
}

const ALPHABET = '0123456789abcdefghijklmnopqrstuv';

// Draws random bytes for many ids at once: one system call per id costs more than the id itself.
let pool = Buffer.alloc(0);
let used = 0;

function takeRandom(size: number): Buffer {
  if (used + size > pool.length) {
    pool = randomBytes(64 * size);
    used = 0;
  }
  used += size;
  return pool.subarray(used - size, used);
}
