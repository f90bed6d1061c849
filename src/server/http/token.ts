import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { KeptSecret } from '../secrets/kept-secret.ts';

/** The random token of all servers on one store. It outlives restarts, so that clients stay configured. */
export const HTTP_TOKEN: KeptSecret = {
  file: 'http.token',
  make: () => Buffer.from(`${randomBytes(32).toString('base64url')}\n`),
  isWhole: (content) => /^[\w-]{43}\n$/.test(content.toString('latin1')),
};

export function fromTokenFile(content: Buffer): string {
  return content.toString('latin1').trim();
}

// Shorter ones can be tried out: nothing slows down a program on the same machine.
const SHORTEST = 16;

/** What a token of the owner may be, in words. */
export const TOKEN_EXPECTED = `'random', or ${SHORTEST} or more of the letters, digits and -._~+/= that a bearer token may have`;

/** Whether the owner may give this token. */
export function isToken(token: unknown): boolean {
  if (typeof token !== 'string') return false;
  return token === 'random' || (token.length >= SHORTEST && /^[\w.~+/=-]+$/.test(token));
}

/** Whether a request carries the token, in a time that does not depend on how much of it is right. */
export function carriesToken(request: Request, token: string): boolean {
  const given = /^Bearer +(\S+) *$/i.exec(request.headers.get('authorization') ?? '')?.[1];
  return given !== undefined && timingSafeEqual(toDigest(given), toDigest(token));
}

function toDigest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
