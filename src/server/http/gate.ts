/** Who is let in over HTTP, and as whom. Closed unless the owner says how it is opened. */
import { LOCAL } from '../../engine/task-client.ts';
import { TaskError } from '../../errors.ts';
import { toPrincipal, type Verify } from '../principal.ts';
import { carriesToken } from './token.ts';

/** The principal who sends a request; nothing when the sender is not known. Judges the head of a request alone. */
export type Gate = (request: Request) => Promise<string | undefined>;

export interface GateOptions {
  readonly verify?: Verify | undefined;
  /** Whoever has it is the owner. */
  readonly token?: string | undefined;
  /** Everybody is the owner. */
  readonly unprotected?: boolean | undefined;
}

/** The gate that the owner asked for; nothing when none was. */
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

/** What `server.fetch` and `server.node` say when nobody said who may use them. */
export function refuseOpenFetch(): TaskError {
  return new TaskError(
    'INVALID_ARGUMENT',
    'server.fetch and server.node have no verify, so everybody who reaches them would be the owner; give createServer a verify function, or unprotected: true if something before them lets nobody else in',
  );
}

/** The same of `server.listen`. */
export function refuseOpenListen(): TaskError {
  return new TaskError(
    'INVALID_ARGUMENT',
    "listen has neither verify nor token, so every user of this machine would be its owner; give listen token: 'random', or createServer a verify function, or listen unprotected: true",
  );
}
