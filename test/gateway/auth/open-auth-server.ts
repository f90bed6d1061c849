/** A server that wants to know who asks, and the one that says who it is: OAuth 2.1 as MCP has it, in one small program. */
import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

interface Grant {
  readonly challenge: string;
  readonly redirectUri: string;
}

interface Answer {
  readonly status: number;
  readonly body?: object;
  readonly headers?: Record<string, string>;
  /** What whoever is behind it answers. */
  readonly passed?: Response;
}

/** @param handle answers those who are known; without it they are told what they said */
export async function openAuthServer(handle?: (request: Request) => Promise<Response>) {
  const seen: string[] = [];
  const grants = new Map<string, Grant>();
  const clients = new Set<string>();
  const tokens = new Set<string>();
  const refreshes = new Set<string>();
  const server = createServer((request, response) => {
    answer(request).then(({ status, body = {}, headers = {}, passed }) => {
      if (passed) return pass(passed, response);
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
    }, console.error);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = `${base}/mcp`;

  async function answer(request: IncomingMessage): Promise<Answer> {
    const { pathname, searchParams } = new URL(request.url ?? '/', base);
    const body = await text(request);
    if (pathname === '/.well-known/oauth-protected-resource/mcp') {
      return { status: 200, body: { resource: url, authorization_servers: [base] } };
    }
    if (pathname === '/.well-known/oauth-authorization-server') return { status: 200, body: toMetadata() };
    seen.push(pathname);
    if (pathname === '/register') return register(body);
    if (pathname === '/authorize') return authorize(searchParams);
    if (pathname === '/token') return exchange(new URLSearchParams(body));
    if (pathname === '/mcp') return serve(request, body);
    return { status: 404 };
  }

  function toMetadata() {
    return {
      issuer: base,
      authorization_endpoint: `${base}/authorize`,
      token_endpoint: `${base}/token`,
      registration_endpoint: `${base}/register`,
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      authorization_response_iss_parameter_supported: true,
    };
  }

  function register(body: string): Answer {
    const id = randomUUID();
    clients.add(id);
    return { status: 201, body: { ...JSON.parse(body), client_id: id } };
  }

  function authorize(params: URLSearchParams): Answer {
    const redirectUri = params.get('redirect_uri') ?? '';
    const back = new URL(redirectUri);
    back.searchParams.set('state', params.get('state') ?? '');
    back.searchParams.set('iss', base);
    if (control.denies) back.searchParams.set('error', 'access_denied');
    else {
      const code = randomUUID();
      grants.set(code, { challenge: params.get('code_challenge') ?? '', redirectUri });
      back.searchParams.set('code', code);
    }
    return { status: clients.has(params.get('client_id') ?? '') ? 302 : 400, headers: { location: back.href } };
  }

  function exchange(params: URLSearchParams): Answer {
    if (params.get('grant_type') === 'refresh_token') {
      // A refresh token is good for once.
      return refreshes.delete(params.get('refresh_token') ?? '') ? grant() : { status: 400, body: INVALID_GRANT };
    }
    const found = grants.get(params.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(params.get('code_verifier') ?? '')
      .digest('base64url');
    const isGood = found?.challenge === challenge && found.redirectUri === params.get('redirect_uri');
    return isGood ? grant() : { status: 400, body: INVALID_GRANT };
  }

  function grant(): Answer {
    const [access, refresh] = [randomUUID(), randomUUID()];
    tokens.add(access);
    refreshes.add(refresh);
    const expires = control.expiresIn;
    return {
      status: 200,
      body: { access_token: access, refresh_token: refresh, token_type: 'Bearer', expires_in: expires },
    };
  }

  async function serve({ headers, method = 'GET' }: IncomingMessage, body: string): Promise<Answer> {
    const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
    if (tokens.has(token) && handle) {
      const init = { method, headers: headers as Record<string, string>, ...(body !== '' && { body }) };
      return { status: 200, passed: await handle(new Request(url, init)) };
    }
    if (tokens.has(token)) return { status: 200, body: { heard: body } };
    const metadata = `Bearer resource_metadata="${base}/.well-known/oauth-protected-resource/mcp"`;
    return { status: 401, headers: { 'www-authenticate': metadata } };
  }

  const control = {
    url,
    /** Paths that were asked for, in order. */
    seen,
    expiresIn: 3600,
    denies: false,
    /** Access tokens are refused from now on. */
    endTokens: () => tokens.clear(),
    /** Whoever was let in before must come again. */
    cut: () => server.closeAllConnections(),
    /** And so are refresh tokens. */
    endSignIns() {
      tokens.clear();
      refreshes.clear();
    },
  };
  return control;
}

async function pass(from: Response, to: ServerResponse): Promise<void> {
  to.writeHead(from.status, Object.fromEntries(from.headers));
  if (from.body) for await (const chunk of from.body) to.write(chunk);
  to.end();
}

const INVALID_GRANT = { error: 'invalid_grant' };
