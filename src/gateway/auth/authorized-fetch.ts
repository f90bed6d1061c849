/**
 * Sends requests with the user's OAuth token to a server that requires sign-in.
 *
 * Tokens are refreshed shortly before they expire, and when the server answers 401. Only one process refreshes at a time, because
 * many servers accept a refresh token only once; a process that waited for the lock finds the new token in the file. When no
 * person can sign in, the request fails with `SIGN_IN_NEEDED`, which says how to sign in; work already running on the server is
 * not lost.
 */
import { auth, type FetchLike } from '@modelcontextprotocol/client';
import type { Clock } from '../../clock.ts';
import { TaskError } from '../../errors.ts';
import { OAuthProvider } from './oauth-provider.ts';
import type { SignIn, SignInFile } from './sign-in-file.ts';

export interface AuthorizedFetchOptions {
  /** The user's name for the server. */
  readonly name: string;
  readonly file: SignInFile;
  readonly clock: Clock;
  readonly fetch: FetchLike;
}

// Leaves enough time for a request to arrive before the token expires.
const RENEW_BEFORE_MS = 60_000;

export function createAuthorizedFetch(options: AuthorizedFetchOptions): FetchLike {
  const { file, fetch } = options;
  return async (input, init) => {
    const known = await toFresh(options, await file.read());
    const response = await fetch(input, withToken(init, known));
    if (response.status !== 401) return response;
    await response.body?.cancel();
    const renewed = await renew(options, known);
    const again = await fetch(input, withToken(init, renewed));
    if (again.status === 401) throw signInNeeded(options.name);
    return again;
  };
}

/** Says that the server waits for a person to sign in; the call itself has not failed. */
function signInNeeded(name: string, cause?: unknown): TaskError {
  const remedy = `run \`holdfast auth ${name}\`; calls wait until then`;
  return new TaskError('SIGN_IN_NEEDED', `server ${name} wants you to sign in: ${remedy}`, { cause });
}

async function toFresh(options: AuthorizedFetchOptions, known: SignIn): Promise<SignIn> {
  const { expiresAt = Number.POSITIVE_INFINITY, tokens } = known;
  const isFresh = options.clock.now() < expiresAt - RENEW_BEFORE_MS;
  return isFresh || tokens?.refresh_token === undefined ? known : renew(options, known);
}

function renew(options: AuthorizedFetchOptions, seen: SignIn): Promise<SignIn> {
  const { file } = options;
  return file.whileAlone(async () => {
    const now = await file.read();
    // Another process has refreshed the token already.
    if (now.tokens && now.tokens.access_token !== seen.tokens?.access_token) return now;
    if (now.tokens?.refresh_token === undefined) throw signInNeeded(options.name);
    await refresh(options, now);
    return file.read();
  });
}

async function refresh({ name, file, clock, fetch }: AuthorizedFetchOptions, known: SignIn): Promise<void> {
  const provider = new OAuthProvider({
    file,
    clock,
    redirectUrl: known.redirectUrl ?? 'http://127.0.0.1/callback',
    onRedirect: () => {
      throw signInNeeded(name);
    },
  });
  const result = await auth(provider, { serverUrl: file.url, fetchFn: fetch });
  if (result !== 'AUTHORIZED') throw signInNeeded(name);
}

function withToken(init: Parameters<FetchLike>[1], { tokens }: SignIn): RequestInit {
  const headers = new Headers(init?.headers);
  if (tokens) headers.set('authorization', `Bearer ${tokens.access_token}`);
  return { ...init, headers };
}
