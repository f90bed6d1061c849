/** Who is let in over HTTP, and as which principal. Closed unless the owner opens it. */
import { LOCAL } from '../../engine/task-client.ts';
import { TaskError } from '../../errors.ts';
import { toPrincipal, type Verify } from '../principal.ts';
import { carriesToken } from './token.ts';

/** Returns the principal of a request; undefined when the sender is unknown. Reads only the head of the request. */
export type Gate = (request: Request) => Promise<string | undefined>;

export interface GateOptions {
  readonly verify?: Verify | undefined;
  /** A client with this token is the owner. */
  readonly token?: string | undefined;
  /** Every client is the owner. */
  readonly unprotected?: boolean | undefined;
}

/** Returns the gate the owner configured; undefined when there is none. */
export function toGate({ verify, token, unprotected }: GateOptions): Gate | undefined {
  if (verify) {
    return async (request) => {
      const identity = await verify(request);
      return identity && toPrincipal(identity);
    };
  }
  if (token !== undefined) return async (request) => (carriesToken(request, token) ? LOCAL : undefined);
  return unprotected ? async () => LOCAL : undefined;
}

/** The error of `server.fetch` and `server.node` when no gate is configured. */
export function unprotectedFetchError(): TaskError {
  return new TaskError(
    'INVALID_ARGUMENT',
    'server.fetch and server.node have no verify, so everybody who reaches them would be the owner; give createServer a verify function, or unprotected: true if something before them lets nobody else in',
  );
}

/** The error of `server.listen` when no gate is configured. */
export function unprotectedListenError(): TaskError {
  return new TaskError(
    'INVALID_ARGUMENT',
    "listen has neither verify nor token, so every user of this machine would be its owner; give listen token: 'random', or createServer a verify function, or listen unprotected: true",
  );
}
