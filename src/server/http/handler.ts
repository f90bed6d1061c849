/**
 * Serves both eras on one URL.
 *
 * A request is let in by its head (host, origin, sender) before its body is read; the body tells its era; then it goes
 * to an SDK server: one made for this request alone (modern), or that of its session (legacy).
 */

import {
  createMcpHandler,
  isJsonContentType,
  isLegacyRequest,
  type McpServer,
  type ServerNotifier,
} from '@modelcontextprotocol/server';
import type { AnswerFate } from '../../dialects/server-port.ts';
import { TaskError } from '../../errors.ts';
import { RPC_CODES } from '../../rpc-codes.ts';
import { Quota } from '../admission/quota.ts';
import { refuse, refuseFailed, refuseStopped } from '../admission/refusals.ts';
import { type AnswerSlot, type RequestSlot, RequestSlots } from '../admission/request-slots.ts';
import { Stopping } from '../admission/stopping.ts';
import type { FrameLimits } from '../frames/frame-shape.ts';
import { findBatchViolation } from '../frames/limit-violation.ts';
import { refuseOverLimits, toFrame } from '../frames/parse-frame.ts';
import { findAnswersFault } from '../frames/request-check.ts';
import { truncateClientTexts } from '../frames/truncate-client-texts.ts';
import type { RelayParams } from '../relay.ts';
import type { Connection } from '../sdk/connection.ts';
import { findSubscriptions, reportListenRequest } from '../sdk/listen-methods.ts';
import type { CreateInstance } from '../sdk/sdk-server.ts';
import { isListMethod } from '../sdk/undeclared-lists.ts';
import type { ServerParts } from '../server-parts.ts';
import { LegacySessions } from '../sessions/legacy-requests.ts';
import { isEventStream } from '../sse/sse-frames.ts';
import { answerInTime, type Pace } from '../sse/sse-keep-alive.ts';
import { type BodyLimits, type BodySource, bufferBody, readChunks } from './body.ts';
import type { Gate } from './gate.ts';
import { refuseForeign } from './sender-check.ts';
import { HttpSubscriptions } from './subscriptions.ts';
import { HttpTaskSubscriptions, type ListenRequest } from './task-subscriptions.ts';

/** A request as received. */
export interface Incoming {
  readonly request: Request;
  /** Decides who is let in, for the listener that received it. */
  readonly gate: Gate;
  /** The body, if it is not the request's own. */
  readonly body?: BodySource;
  /** Resolves when the answer has been sent or never will be; absent where that cannot be known. */
  readonly finished?: Promise<void>;
  /** Reports whether the answer arrives; absent where that cannot be known. */
  readonly fate?: () => Promise<AnswerFate>;
  /** The address of the client, if known. */
  readonly address?: string | undefined;
}

export interface HttpHandler {
  serve(incoming: Incoming): Promise<Response>;
  /** Ends open streams cleanly, so that clients can resume elsewhere. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

// How long answers that are sent because of the stop may take.
const STOPPING_MS = 1000;

/** A request that passed the gate. */
interface Admitted {
  readonly request: Request;
  readonly body: unknown;
  readonly principal: string;
  readonly slot: AnswerSlot;
  readonly address: string | undefined;
}

export function createHttpHandler(parts: ServerParts, create: CreateInstance): HttpHandler {
  const { http } = parts.settings;
  const pace: Pace = { clock: parts.clock, firstMs: http.firstCommentMs, everyMs: http.keepAliveMs };
  const legacy = new LegacySessions(parts, create, pace);
  const modern = createModern(parts, create, pace);
  const slots = new RequestSlots(http);
  const readJson = createBodyReader(parts);
  const stopping = new Stopping();
  let isClosed = false;
  const answer = async (incoming: Incoming, slot: RequestSlot): Promise<Response> => {
    const { request, gate, finished, fate, address, body = () => readChunks(request) } = incoming;
    const principal = await gate(request);
    if (principal === undefined) return refuseUnknown(http.resourceMetadata);
    const overQuota = slot.claim(principal);
    if (overQuota) return overQuota;
    const read = await readJson(request, body, principal);
    if (read instanceof Response) return read;
    try {
      // Data read from an event stream may still wait to be sent: then `finished` frees the slot.
      const free = finished ? () => {} : () => slot.free();
      const answering = { ...slot, free, stopping, ...(fate && { fate }) };
      const admitted = { request, principal, body: read.json, slot: answering, address };
      const isLegacy = await isLegacyRequest(request, read.json);
      return await (isLegacy ? legacy.fetch(admitted) : modern.fetch(admitted));
    } finally {
      read.release();
    }
  };
  return {
    async serve(incoming) {
      const foreign = refuseForeign(incoming.request, http);
      if (foreign) return foreign;
      if (isClosed) return refuseStopped(http.retryMs);
      const slot = slots.take();
      if (slot instanceof Response) return slot;
      try {
        return freeSlotWhenSent(await answer(incoming, slot), slot, incoming.finished);
      } catch (error) {
        slot.free();
        parts.report(error);
        return refuseFailed(error);
      }
    },
    stop: () => stopping.stop(STOPPING_MS),
    async close() {
      isClosed = true;
      await stopping.stop(STOPPING_MS);
      await Promise.all([modern.close(), legacy.close()]);
    },
  };
}

/** Frees the slot when the answer has been sent; if that is not known, at once, or when the event stream ends. */
function freeSlotWhenSent(response: Response, slot: RequestSlot, finished: Promise<void> | undefined): Response {
  if (finished) void finished.then(() => slot.free());
  else if (!isEventStream(response)) slot.free();
  return response;
}

/** https://www.rfc-editor.org/rfc/rfc9728#section-5.1 */
function refuseUnknown(resourceMetadata: string | undefined): Response {
  const how = resourceMetadata === undefined ? 'Bearer' : `Bearer resource_metadata="${resourceMetadata}"`;
  return refuse(401, { code: RPC_CODES.SERVER_ERROR, message: 'Unauthorized', headers: { 'WWW-Authenticate': how } });
}

interface ReadBody {
  readonly json: unknown;
  /** Frees the memory of the body once the request is answered. */
  release(): void;
}

interface ReadLimits extends BodyLimits {
  /** How much a message may hold before it is parsed. */
  readonly shape: FrameLimits;
}

type BodyReader = (request: Request, source: BodySource, principal: string) => Promise<ReadBody | Response>;

function createBodyReader({ settings }: ServerParts): BodyReader {
  const { maxBodyBytes, maxBytesInFlight, perPrincipal } = settings.http;
  const quotas = { inAll: new Quota(maxBytesInFlight), perPrincipal: new Quota(perPrincipal.bytesInFlight) };
  return async (request, source, principal) => {
    if (request.method !== 'POST') return { json: undefined, release() {} };
    return readBody(request, source, { ...quotas, principal, maxBytes: maxBodyBytes, shape: settings.messageLimits });
  };
}

async function readBody(request: Request, source: BodySource, limits: ReadLimits): Promise<ReadBody | Response> {
  if (!isJsonContentType(request.headers.get('content-type'))) {
    return refuse(415, {
      code: RPC_CODES.SERVER_ERROR,
      message: 'Unsupported Media Type: Content-Type must be application/json',
    });
  }
  const read = await bufferBody(request, source, limits);
  if (read instanceof Response) return read;
  const { text, release } = read;
  const refusal = (response: Response) => {
    release();
    return response;
  };
  try {
    const violation = refuseOverLimits(text, limits.shape);
    if (violation) return refusal(refuse(400, { ...violation.error, id: violation.id }));
    const json: unknown = JSON.parse(text);
    const malformed = refuseMalformed(json);
    return malformed ? refusal(malformed) : { json, release };
  } catch {
    return refusal(
      refuse(400, { code: RPC_CODES.PARSE_ERROR, message: 'Parse error: the request body is not valid JSON' }),
    );
  }
}

/** Refuses malformed bodies with the same codes as over stdio. Batches go to the SDK: sessions of old revisions may send them. */
function refuseMalformed(body: unknown): Response | undefined {
  truncateClientTexts(body);
  if (Array.isArray(body)) {
    const violation = findBatchViolation(body);
    return violation && refuse(400, violation);
  }
  const frame = toFrame(body);
  if (frame.kind === 'dropped') return refuse(400, { code: RPC_CODES.INVALID_PARAMS, message: frame.reason });
  if (frame.kind !== 'refused') return undefined;
  const { id, error } = frame.refusal;
  return refuse(400, { ...error, id });
}

/** A modern request and its server. */
interface Exchange {
  readonly principal: string;
  readonly slot: AnswerSlot;
  readonly method: unknown;
  readonly address: string | undefined;
  /** Called when the request has been answered. */
  readonly ends: (() => void)[];
  isUnknown?: true;
  instance?: McpServer;
}

/** Methods that our own fallback answers instead of the SDK. */
const OWN_METHODS: readonly unknown[] = ['tools/call', 'resources/read'];

function createModern(parts: ServerParts, create: CreateInstance, pace: Pace) {
  const taskSubscriptions = new HttpTaskSubscriptions(parts);
  const exchanges = new WeakMap<Request, Exchange>();
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const exchange = requestInfo && exchanges.get(requestInfo);
      // A request whose sender was lost must not run as any principal.
      if (!exchange) throw new TaskError('INTERNAL', 'a server was made for a request that was not let in');
      const { principal, slot, address } = exchange;
      const connection: Connection = {
        principal,
        ...(address !== undefined && { address }),
        holdAnswer: (_, bytes) => slot.hold(bytes),
        followAnswer: () => slot.fate?.(),
        onStop: (listener) => listenForStop(exchange, listener),
        cancelReason: () => undefined,
        onUnknownMethod: () => {
          exchange.isUnknown = true;
        },
      };
      const instance = create({ era: 'modern', connection });
      // Without a fallback the SDK itself answers unknown methods, with the HTTP status that is required.
      const isOurs =
        parts.settings.relay !== undefined || OWN_METHODS.includes(exchange.method) || isListMethod(exchange.method);
      if (!isOurs) delete instance.server.fallbackRequestHandler;
      exchange.instance = instance;
      return instance;
    },
    {
      legacy: 'reject',
      // We send the keep-alive comments: the first must come earlier than the SDK's.
      keepAliveMs: 0,
      maxSubscriptions: parts.settings.http.maxSubscriptions,
      onerror: (error) => reportFault(parts, error),
    },
  );
  const subscriptions = new HttpSubscriptions(parts.settings.http);
  const stopForwarding = parts.notifications.subscribe(({ method, params }) =>
    notifyListeners(handler.notify, method, params),
  );
  const answer = async ({ request, body, principal }: Admitted, exchange: Exchange) => {
    const fault = findAnswersFault(body);
    if (fault) return refuse(400, { code: fault.code, message: fault.message, id: (body as ListenRequest).id });
    const overQuota = subscriptions.begin(exchange, body);
    if (overQuota) return overQuota;
    reportListenRequest(parts, body);
    const answered = toUnknown(await handler.fetch(request, { parsedBody: body }), exchange);
    const { hold } = exchange.slot;
    const served = findSubscriptions(parts, body);
    if (!served) return answered;
    return taskSubscriptions.serve({ ...(body as ListenRequest), principal, subscriptions: served, hold }, answered);
  };
  return {
    fetch(admitted: Admitted): Promise<Response> {
      const { request, principal, slot, address } = admitted;
      const { method } = (admitted.body ?? {}) as { method?: unknown };
      const exchange: Exchange = { principal, slot, address, method, ends: [] };
      exchanges.set(request, exchange);
      // The SDK's handlers learn that their client has left when the server of the request is closed.
      const onGone = () => void exchange.instance?.close().catch(parts.report);
      const onEnd = () => {
        for (const end of exchange.ends.splice(0)) end();
        subscriptions.end(exchange);
        slot.free();
      };
      return answerInTime(answer(admitted, exchange), { request, pace, onGone, onEnd }).catch((error: unknown) => {
        onEnd();
        throw error;
      });
    },
    async close() {
      stopForwarding();
      await handler.close();
      await taskSubscriptions.close();
    },
  };
}

/** Sets 404 for an unknown method: the SDK does so only for methods without any handler. */
function toUnknown(answered: Response, { isUnknown }: Exchange): Response {
  const { body, headers } = answered;
  return isUnknown && answered.status === 200 ? new Response(body, { status: 404, headers }) : answered;
}

/** Notifies clients that listen over HTTP; the SDK knows who listens for what. */
function notifyListeners(notify: ServerNotifier, method: string, { uri }: RelayParams): void {
  if (method === 'notifications/tools/list_changed') notify.toolsChanged();
  if (method === 'notifications/prompts/list_changed') notify.promptsChanged();
  if (method === 'notifications/resources/list_changed') notify.resourcesChanged();
  if (method === 'notifications/resources/updated' && typeof uri === 'string') notify.resourceUpdated(uri);
}

/** Stays subscribed until the answer has been sent, not only computed, so that a stopping server waits for it. */
function listenForStop({ slot, ends }: Exchange, listener: () => void): () => void {
  let isListening = true;
  const off = slot.stopping?.onStop(() => isListening && listener());
  if (off) ends.push(off);
  return () => {
    isListening = false;
  };
}

/** Reports SDK errors, except refusals: those concern the client, which has been answered. */
function reportFault(parts: ServerParts, error: Error): void {
  const isRefusal =
    'code' in error || /^(Rejected|Unsupported|Invalid|subscriptions\/listen refused)/.test(error.message);
  if (!isRefusal) parts.report(error);
}
