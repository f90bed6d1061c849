/**
 * Both eras on one URL.
 *
 * A request is let in (host, origin, sender, size), its era is told from its body, and it goes to the SDK: to a server
 * made for this request alone (modern), or to that of its session (legacy).
 */
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  isJsonContentType,
  isLegacyRequest,
  type McpServer,
  originValidationResponse,
  readRequestBody,
} from '@modelcontextprotocol/server';
import { LOCAL } from '../engine/access.ts';
import { refuse, refuseFailed } from './http-answer.ts';
import { LegacySessions } from './http-legacy.ts';
import type { InstanceOptions } from './instance.ts';
import { isTooDeep, refuseDeep, toFrame } from './parse-frame.ts';
import { findPrincipal } from './principal.ts';
import { findAnswersFault } from './request-check.ts';
import type { ServerParts } from './server-parts.ts';
import { answerInTime, type Pace } from './sse-keep-alive.ts';
import { asksForTasks, HttpTaskListening, type ListenRequest } from './task-listen-http.ts';

export interface HttpHandler {
  fetch(request: Request): Promise<Response>;
  close(): Promise<void>;
}

export type CreateInstance = (options: Omit<InstanceOptions, 'register'>) => McpServer;

/** A request that was let in. */
interface Admitted {
  readonly request: Request;
  readonly body: unknown;
  readonly principal: string;
}

export function createHttpHandler(parts: ServerParts, create: CreateInstance): HttpHandler {
  const { http } = parts.settings;
  const pace: Pace = { clock: parts.clock, firstMs: http.firstCommentMs, everyMs: http.commentEveryMs };
  const legacy = new LegacySessions(parts, create, pace);
  const modern = createModern(parts, create, pace);
  return {
    async fetch(request) {
      try {
        const admitted = await admit(parts, request);
        if (admitted instanceof Response) return admitted;
        const isLegacy = await isLegacyRequest(request, admitted.body);
        return await (isLegacy ? legacy.fetch(admitted) : modern.fetch(admitted));
      } catch (error) {
        parts.report(error);
        return refuseFailed(error);
      }
    },
    async close() {
      await Promise.all([modern.close(), legacy.close()]);
    },
  };
}

/** The request with its sender and its body, or why it is not let in. */
async function admit({ settings }: ServerParts, request: Request): Promise<Admitted | Response> {
  const { allowedHosts, allowedOrigins } = settings.http;
  const foreign =
    hostHeaderValidationResponse(request, [...allowedHosts]) ?? originValidationResponse(request, [...allowedOrigins]);
  if (foreign) return foreign;
  const principal = await findPrincipal(settings.verify, request);
  if (principal === undefined) {
    return refuse(401, { code: -32000, message: 'Unauthorized', headers: { 'WWW-Authenticate': 'Bearer' } });
  }
  if (request.method !== 'POST') return { request, body: undefined, principal };
  const body = await readBody(request, settings.http.maxBodyBytes);
  return body instanceof Response ? body : { request, body: body.json, principal };
}

async function readBody(request: Request, maxBytes: number): Promise<{ readonly json: unknown } | Response> {
  if (!isJsonContentType(request.headers.get('content-type'))) {
    return refuse(415, { code: -32000, message: 'Unsupported Media Type: Content-Type must be application/json' });
  }
  const read = await readRequestBody(request, maxBytes);
  if (read.tooLarge) {
    return refuse(413, { code: -32000, message: `Payload Too Large: the body may have ${maxBytes} bytes at most` });
  }
  try {
    const json: unknown = JSON.parse(read.text);
    return refuseMalformed(read.text, json) ?? { json };
  } catch {
    return refuse(400, { code: -32700, message: 'Parse error: the request body is not valid JSON' });
  }
}

/** The same codes as over stdio. Batches are the SDK's affair: sessions of old revisions may send them. */
function refuseMalformed(text: string, body: unknown): Response | undefined {
  const frame = isTooDeep(text) ? refuseDeep(body) : Array.isArray(body) ? undefined : toFrame(body);
  if (frame?.kind !== 'refused') return undefined;
  const { id, error } = frame.refusal;
  return refuse(400, { ...error, id });
}

/** A modern request and the server made for it. */
interface Exchange {
  readonly principal: string;
  readonly method: unknown;
  instance?: McpServer;
}

function createModern(parts: ServerParts, create: CreateInstance, pace: Pace) {
  const listening = new HttpTaskListening(parts);
  const exchanges = new WeakMap<Request, Exchange>();
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const exchange = requestInfo && exchanges.get(requestInfo);
      const connection = { principal: exchange?.principal ?? LOCAL, cancelReason: () => undefined };
      const instance = create({ era: 'modern', connection });
      // Without a fallback the SDK answers an unknown method itself, with the status that HTTP wants.
      if (exchange?.method !== 'tools/call') delete instance.server.fallbackRequestHandler;
      if (exchange) exchange.instance = instance;
      return instance;
    },
    {
      legacy: 'reject',
      // Comments are ours: the first must come earlier than the SDK's.
      keepAliveMs: 0,
      maxSubscriptions: parts.settings.http.maxSubscriptions,
      onerror: (error) => reportFault(parts, error),
    },
  );
  const answer = async ({ request, body, principal }: Admitted) => {
    const fault = findAnswersFault(body);
    if (fault) return refuse(400, { code: fault.code, message: fault.message, id: (body as ListenRequest).id });
    const answered = await handler.fetch(request, { parsedBody: body });
    return asksForTasks(body) ? listening.serve({ ...(body as ListenRequest), principal }, answered) : answered;
  };
  return {
    fetch(admitted: Admitted): Promise<Response> {
      const { request, principal } = admitted;
      const exchange: Exchange = { principal, method: (admitted.body as { method?: unknown } | null)?.method };
      exchanges.set(request, exchange);
      // Closing the server of a request is how the SDK's handlers hear that its client has left.
      const onGone = () => void exchange.instance?.close().catch(parts.report);
      return answerInTime(answer(admitted), { request, pace, onGone });
    },
    async close() {
      await handler.close();
      await listening.close();
    },
  };
}

/** The SDK reports what it refused as well; that is the client's affair, and the client was told. */
function reportFault(parts: ServerParts, error: Error): void {
  const isRefusal =
    'code' in error || /^(Rejected|Unsupported|Invalid|subscriptions\/listen refused)/.test(error.message);
  if (!isRefusal) parts.report(error);
}
