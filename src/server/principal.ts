import { TaskError } from '../errors.ts';

/** Who sends a request, as somebody trustworthy says: the issuer of a token and the subject it names. */
export interface VerifiedIdentity {
  readonly issuer: string;
  readonly subject: string;
}

/**
 * Finds out who sends a request; nothing when that cannot be told, and the request is refused.
 *
 * It is asked before anything of the body is read, and gets the head of the request: method, URL and headers.
 */
export type Verify = (request: Request) => Promise<VerifiedIdentity | undefined> | VerifiedIdentity | undefined;

export function toPrincipal({ issuer, subject }: VerifiedIdentity): string {
  if (typeof issuer !== 'string' || typeof subject !== 'string' || subject === '') {
    throw new TaskError('INVALID_ARGUMENT', 'verify must return an issuer and a subject that are texts, or nothing');
  }
  // As a pair: joined by a character of theirs, two identities could become one.
  return JSON.stringify([issuer, subject]);
}
