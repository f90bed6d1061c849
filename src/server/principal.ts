import { LOCAL } from '../engine/access.ts';
import { TaskError } from '../errors.ts';

/** Who sends a request, as somebody trustworthy says: the issuer of a token and the subject it names. */
export interface VerifiedIdentity {
  readonly issuer: string;
  readonly subject: string;
}

/** Finds out who sends a request; nothing when that cannot be told, and the request is refused. */
export type Verify = (request: Request) => Promise<VerifiedIdentity | undefined> | VerifiedIdentity | undefined;

/** The owner of what a request makes; nothing when the sender is not known. Without a verifier everybody is local. */
export async function findPrincipal(verify: Verify | undefined, request: Request): Promise<string | undefined> {
  if (!verify) return LOCAL;
  const identity = await verify(request);
  return identity && toPrincipal(identity);
}

function toPrincipal({ issuer, subject }: VerifiedIdentity): string {
  if (typeof issuer !== 'string' || typeof subject !== 'string' || subject === '') {
    throw new TaskError('INVALID_ARGUMENT', 'verify must return an issuer and a subject that are texts, or nothing');
  }
  // As a pair: joined by a character of theirs, two identities could become one.
  return JSON.stringify([issuer, subject]);
}
