import { isInitializeRequest } from '@modelcontextprotocol/server';
import type { Seal } from '../../dialects/server-port.ts';
import { isTaskError } from '../../errors.ts';
import { RPC_CODES } from '../../rpc-codes.ts';
import { refuse, refuseBusy, refuseOverQuota } from '../admission/refusals.ts';
import type { AnswerSlot } from '../admission/request-slots.ts';
import { recordAnswerDurably } from '../sdk/own-requests.ts';
import type { ServerParts } from '../server-parts.ts';
import type { Pace } from '../sse/sse-keep-alive.ts';
import { hasTasks } from '../tools/has-tasks.ts';
import { LegacySession, type LegacySessionOptions } from './legacy-session.ts';
import { type CachedSession, isInUse, SessionCache } from './session-cache.ts';
import { type InitializeParams, makeSession, openSession, type SessionRecord, sealSession } from './session-id.ts';
import { SessionLifetimes } from './session-lifetimes.ts';

/** A request of the legacy era. */
export interface LegacyRequest {
  readonly request: Request;
  /** The parsed body of a POST. */
  readonly body: unknown;
  readonly principal: string;
  readonly slot: AnswerSlot;
}

/** A session that is about to be added. */
interface NewSession {
  readonly record: SessionRecord;
  readonly seal: Seal;
  start(session: LegacySession): Promise<void>;
}

const RETRY_MS = 60_000;
const SWEEP_MS = 60_000;

/**
 * The sessions of the legacy era.
 *
 * Sessions in use are in memory; others are restored from their ids, unless they have ended. A new session without room
 * replaces an idle one: of the same principal if that has used up its share, else of any.
 */
export class LegacySessions {
  readonly #parts: ServerParts;
  readonly #create: LegacySessionOptions['create'];
  readonly #pace: Pace;
  readonly #lifetimes: SessionLifetimes;
  readonly #cache: SessionCache;
  #stopSweep: (() => void) | undefined;

  constructor(parts: ServerParts, create: LegacySessionOptions['create'], pace: Pace) {
    this.#parts = parts;
    this.#create = create;
    this.#pace = pace;
    const { settings, clock, report } = parts;
    const { http, secret } = settings;
    // Sessions alone do not open a store.
    const openSessions = async () =>
      secret === undefined || hasTasks(parts.tools) ? (await parts.openEngine()).sessions : undefined;
    this.#lifetimes = new SessionLifetimes({ clock, http, openSessions });
    this.#cache = new SessionCache({
      max: http.maxSessions,
      maxPerPrincipal: http.perPrincipal.sessions,
      onDropped: ({ record, session }) => {
        this.#lifetimes.forget(record);
        session?.close().catch(report);
      },
    });
  }

  async fetch(incoming: LegacyRequest): Promise<Response> {
    const { request, body, principal, slot } = incoming;
    const sessionId = request.headers.get('mcp-session-id');
    if (sessionId === null) return this.#open(incoming);
    const kept = await this.#find(sessionId, principal);
    if (kept instanceof Response) return kept;
    try {
      const session = await kept.starting;
      if (request.method === 'DELETE') await this.#end(kept);
      else await this.#lifetimes.use(kept.record);
      return await session.handle(request, body, slot);
    } catch (error) {
      if (!isTaskError(error, 'ANSWER_INVALID')) throw error;
      return refuse(400, { code: RPC_CODES.INVALID_PARAMS, message: error.message });
    } finally {
      kept.users--;
    }
  }

  async close(): Promise<void> {
    this.#stopSweep?.();
    const sessions = this.#cache.clear();
    const close = async ({ starting }: CachedSession) => (await starting).close();
    await Promise.all(sessions.map((kept) => close(kept).catch(this.#parts.report)));
  }

  async #open({ request, body, principal, slot }: LegacyRequest): Promise<Response> {
    const { method, id } = (body ?? {}) as { method?: unknown; id?: string | number };
    if (method !== 'initialize') {
      return refuse(400, { code: RPC_CODES.SERVER_ERROR, message: 'Bad Request: Mcp-Session-Id header is required' });
    }
    if (!isInitializeRequest(body)) {
      return refuse(400, {
        code: RPC_CODES.INVALID_PARAMS,
        message: 'Invalid params: initialize has not what it needs',
        id,
      });
    }
    const initialize = body.params as unknown as InitializeParams;
    const record = makeSession({ principal, openedAt: this.#pace.clock.now(), initialize });
    const seal = await this.#parts.openSeal();
    const kept = this.#keep(sealSession(seal, record), { record, seal, start: (session) => session.start() });
    if (kept instanceof Response) return kept;
    try {
      // Pass the cut parameters: the SDK keeps them for as long as the session lives.
      return await (await kept.starting).handle(request, { ...body, params: record.initialize }, slot);
    } finally {
      kept.users--;
    }
  }

  async #find(sessionId: string, principal: string): Promise<CachedSession | Response> {
    const seal = await this.#parts.openSeal();
    const record = this.#cache.get(sessionId)?.record ?? openSession(seal, sessionId);
    if (record?.principal !== principal) return refuseUnknown();
    const isOver = await this.#lifetimes.isOver(record, this.#toLastUse(sessionId));
    // Another request may have restored it meanwhile.
    const kept = this.#cache.get(sessionId);
    if (isOver) {
      if (kept) this.#cache.drop(kept);
      return refuseUnknown();
    }
    if (!kept) return this.#keep(sessionId, { record, seal, start: (session) => session.adopt(record.initialize) });
    kept.users++;
    this.#cache.use(kept, this.#pace.clock.now());
    return kept;
  }

  /** Returns when a session in memory was last used; an open stream counts as use. */
  #toLastUse(sessionId: string): number | undefined {
    const kept = this.#cache.get(sessionId);
    return kept && isInUse(kept) ? this.#pace.clock.now() : kept?.usedAt;
  }

  async #end(kept: CachedSession): Promise<void> {
    await this.#lifetimes.end(kept.record);
    this.#cache.remove(kept);
  }

  /** Creates a session and adds it to memory, or returns the refusal when there is no room. */
  #keep(sessionId: string, { record, seal, start }: NewSession): CachedSession | Response {
    const { principal } = record;
    const shortage = this.#cache.makeRoom(principal);
    if (shortage) {
      const refuseShort = shortage.isOwn ? refuseOverQuota : refuseBusy;
      return refuseShort({ of: 'sessions in use', max: shortage.max, retryAfterMs: RETRY_MS });
    }
    const session = this.#make(sessionId, principal, seal);
    const starting = start(session).then(() => session);
    const kept = this.#cache.add({ sessionId, record, session, starting, usedAt: this.#pace.clock.now(), users: 1 });
    starting.catch(() => this.#cache.remove(kept));
    this.#armSweep();
    return kept;
  }

  #make(sessionId: string, principal: string, seal: Seal): LegacySession {
    const record: LegacySessionOptions['record'] = (message, asked) =>
      recordAnswerDurably(this.#parts, message, { principal, asked });
    const { retryMs } = this.#parts.settings.http;
    const common = { pace: this.#pace, create: this.#create, record, seal, retryMs };
    return new LegacySession({ sessionId, principal, ...common });
  }

  #armSweep(): void {
    // Often enough to record the use of long-lived streams in time.
    const everyMs = Math.min(SWEEP_MS, this.#parts.settings.http.sessionMaxIdleMs / 10);
    this.#stopSweep ??= this.#pace.clock.after(everyMs, () => {
      this.#stopSweep = undefined;
      this.#sweep()
        .catch(this.#parts.report)
        .finally(() => this.#cache.size > 0 && this.#armSweep());
    });
  }

  /** Drops idle sessions, and those in use that have ended. An open stream counts as use. */
  async #sweep(): Promise<void> {
    for (const kept of this.#cache.list()) {
      const now = this.#pace.clock.now();
      if (!isInUse(kept)) {
        if (kept.usedAt <= now - this.#parts.settings.http.sessionIdleMs) this.#cache.drop(kept);
        continue;
      }
      kept.usedAt = now;
      if (await this.#lifetimes.isOver(kept.record, now)) this.#cache.drop(kept);
      else await this.#lifetimes.use(kept.record);
    }
  }
}

function refuseUnknown(): Response {
  return refuse(404, { code: RPC_CODES.SESSION_NOT_FOUND, message: 'Session not found' });
}
