import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { SharedSecret } from '../secrets/shared-secret.ts';

/** The random token of all servers on one store. It survives restarts, so that clients stay configured. */
export const HTTP_TOKEN: SharedSecret = {
  file: 'http.token',
  make: () => Buffer.from(`${randomBytes(32).toString('base64url')}\n`),
  isWhole: (content) => /^[\w-]{43}\n$/.test(content.toString('latin1')),
};

export function fromTokenFile(content: Buffer): string {
  return content.toString('latin1').trim();
}

// Shorter tokens can be found by brute force: nothing slows down a program on the same machine.
const SHORTEST = 16;

/** Describes a valid owner's token, for error messages. */
export const TOKEN_EXPECTED = `'random', or ${SHORTEST} or more of the letters, digits and -._~+/= that a bearer token may have`;

/** Whether the owner may configure this token. */
export function isToken(token: unknown): boolean {
  if (typeof token !== 'string') return false;
  return token === 'random' || (token.length >= SHORTEST && /^[\w.~+/=-]+$/.test(token));
}

/** Whether a request carries the token; compares in constant time. */
export function carriesToken(request: Request, token: string): boolean {
  const given = /^Bearer +(\S+) *$/i.exec(request.headers.get('authorization') ?? '')?.[1];
  return given !== undefined && timingSafeEqual(toDigest(given), toDigest(token));
}

function toDigest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
