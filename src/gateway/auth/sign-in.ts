/** Signs in at a server: opens an authorization page for a person, who is then redirected to a port of this machine. */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { auth, type FetchLike } from '@modelcontextprotocol/client';
import { systemClock } from '../../clock.ts';
import { TaskError } from '../../errors.ts';
import { OAuthProvider } from './oauth-provider.ts';
import type { SignInFile } from './sign-in-file.ts';

export interface SignInOptions {
  readonly file: SignInFile;
  readonly fetch?: FetchLike;
  /**
   * An HTTPS URL of our client metadata, for servers that read it instead of registering us (OAuth client ID metadata document).
   */
  readonly clientMetadataUrl?: string | undefined;
  /** Shows the authorization page to a person. */
  open(url: URL): void | Promise<void>;
  readonly signal?: AbortSignal | undefined;
}

/** What the redirect back from the server carries. */
interface AuthorizationCallback {
  readonly code: string;
  readonly iss?: string | undefined;
}

/** Resolves when the tokens are stored; throws `SIGN_IN_FAILED` with the server's message. */
export async function signIn({ file, fetch, clientMetadataUrl, open, signal }: SignInOptions): Promise<void> {
  const state = randomUUID();
  const callbackServer = await openCallbackServer(state, signal);
  try {
    const { redirectUrl } = callbackServer;
    // A registration for another port cannot be used, because the redirect URL contains the port.
    await file.change({ client: undefined, tokens: undefined, expiresAt: undefined, discovery: undefined });
    const provider = new OAuthProvider({
      file,
      clock: systemClock,
      redirectUrl,
      clientMetadataUrl,
      state,
      onRedirect: (url) => open(url),
    });
    const common = { serverUrl: file.url, ...(fetch && { fetchFn: fetch }) };
    if ((await auth(provider, common)) === 'AUTHORIZED') return;
    const { code, iss } = await callbackServer.callback;
    await auth(provider, { ...common, authorizationCode: code, ...(iss !== undefined && { iss }) });
  } catch (error) {
    if (error instanceof TaskError) throw error;
    throw failedError((error as Error).message, error);
  } finally {
    callbackServer.close();
  }
}

interface CallbackServer {
  readonly redirectUrl: string;
  readonly callback: Promise<AuthorizationCallback>;
  close(): void;
}

/** Listens on a port of this machine for the redirect that carries `state`. */
async function openCallbackServer(state: string, signal: AbortSignal | undefined): Promise<CallbackServer> {
  const server = createServer();
  const callback = new Promise<AuthorizationCallback>((resolve, reject) => {
    server.on('request', (request, response) => {
      const received = parseCallback(new URL(request.url ?? '/', 'http://127.0.0.1'), state);
      response.writeHead(received ? 200 : 404, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
      response.end(received ? 'Done. You can close this page.\n' : 'Nothing here.\n');
      if (received instanceof TaskError) reject(received);
      else if (received) resolve(received);
    });
    signal?.addEventListener('abort', () => reject(failedError('it was given up')), { once: true });
  });
  // Avoids an unhandled rejection when the server authorizes without a person, so that nothing awaits this promise.
  callback.catch(() => {});
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return { redirectUrl: `http://127.0.0.1:${port}/callback`, callback, close: () => server.close() };
}

/** Returns undefined for a request with another `state`: it belongs to a different sign-in. */
function parseCallback(
  { pathname, searchParams: params }: URL,
  state: string,
): AuthorizationCallback | TaskError | undefined {
  if (pathname !== '/callback' || params.get('state') !== state) return undefined;
  const code = params.get('code');
  if (code !== null) return { code, iss: params.get('iss') ?? undefined };
  return failedError(params.get('error_description') ?? params.get('error') ?? 'the server sent no code');
}

function failedError(why: string, cause?: unknown): TaskError {
  return new TaskError('SIGN_IN_FAILED', `the sign-in failed: ${why}`, { cause });
}
