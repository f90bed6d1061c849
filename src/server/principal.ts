import { TaskError } from '../errors.ts';

/** Who sends a request, as vouched for by a trusted party: the issuer of a token and its subject. */
export interface VerifiedIdentity {
  readonly issuer: string;
  readonly subject: string;
}

/**
 * Identifies the sender of a request; returns undefined for an unknown one, whose request is refused.
 *
 * Called before the body is read, with the head of the request: method, URL and headers.
 */
export type Verify = (request: Request) => Promise<VerifiedIdentity | undefined> | VerifiedIdentity | undefined;

export function toPrincipal({ issuer, subject }: VerifiedIdentity): string {
  if (typeof issuer !== 'string' || typeof subject !== 'string' || subject === '') {
    throw new TaskError('INVALID_ARGUMENT', 'verify must return an issuer and a subject that are texts, or nothing');
  }
  // As a pair: joined by a character that they may contain, two identities could become one.
  return JSON.stringify([issuer, subject]);
}
