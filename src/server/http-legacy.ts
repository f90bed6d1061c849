import { isInitializeRequest } from '@modelcontextprotocol/server';
import { isTaskError } from '../errors.ts';
import { refuse } from './http-answer.ts';
import { type InitializeParams, openSession, type SessionRecord, sealSession } from './http-session-id.ts';
import { LegacySession, type LegacySessionOptions } from './legacy-session.ts';
import { takeAnswer } from './own-requests.ts';
import type { ServerParts } from './server-parts.ts';
import type { Pace } from './sse-keep-alive.ts';

/** A request of the legacy era. */
export interface LegacyRequest {
  readonly request: Request;
  /** The parsed body of a POST. */
  readonly body: unknown;
  readonly principal: string;
}

interface Entry {
  readonly session: Promise<LegacySession>;
  usedAt: number;
}

// Each costs an SDK server; those not in use are taken up again when somebody asks for them.
const MOST_SESSIONS = 10_000;
const MOST_ENDED = 10_000;
const SWEEP_MS = 60_000;

/**
 * The sessions this process has in memory, least recently used first.
 *
 * A session that is not here is adopted from its id. One that its client has ended is remembered as such, here only.
 */
export class LegacySessions {
  readonly #parts: ServerParts;
  readonly #create: LegacySessionOptions['create'];
  readonly #pace: Pace;
  readonly #sessions = new Map<string, Entry>();
  readonly #ended = new Set<string>();
  #stopSweep: (() => void) | undefined;

  constructor(parts: ServerParts, create: LegacySessionOptions['create'], pace: Pace) {
    this.#parts = parts;
    this.#create = create;
    this.#pace = pace;
  }

  async fetch({ request, body, principal }: LegacyRequest): Promise<Response> {
    const sessionId = request.headers.get('mcp-session-id');
    if (sessionId === null) return this.#open({ request, body, principal });
    const session = await this.#find(sessionId, principal);
    if (!session) return refuse(404, { code: -32001, message: 'Session not found' });
    if (request.method === 'DELETE') this.#forget(sessionId);
    try {
      return await session.handle(request, body);
    } catch (error) {
      if (!isTaskError(error, 'ANSWER_INVALID')) throw error;
      return refuse(400, { code: -32602, message: error.message });
    }
  }

  async close(): Promise<void> {
    this.#stopSweep?.();
    const sessions = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.all(sessions.map(async ({ session }) => (await session).close().catch(this.#parts.report)));
  }

  async #open({ request, body, principal }: LegacyRequest): Promise<Response> {
    const { method, id } = (body ?? {}) as { method?: unknown; id?: string | number };
    if (method !== 'initialize') {
      return refuse(400, { code: -32000, message: 'Bad Request: Mcp-Session-Id header is required' });
    }
    if (!isInitializeRequest(body)) {
      return refuse(400, { code: -32602, message: 'Invalid params: initialize has not what it needs', id });
    }
    const initialize = body.params as unknown as InitializeParams;
    const sessionId = sealSession(await this.#parts.openSeal(), { principal, initialize });
    const session = await this.#keep(sessionId, this.#start(sessionId, principal));
    return session.handle(request, body);
  }

  async #find(sessionId: string, principal: string): Promise<LegacySession | undefined> {
    const known = this.#sessions.get(sessionId);
    if (!known && this.#ended.has(sessionId)) return undefined;
    const record = known ? undefined : openSession(await this.#parts.openSeal(), sessionId);
    if (record && record.principal !== principal) return undefined;
    // Somebody else may have adopted it meanwhile.
    const entry = this.#sessions.get(sessionId);
    const session = entry?.session ?? (record && this.#adopt(sessionId, record));
    const found = session && (await this.#keep(sessionId, session));
    return found?.principal === principal ? found : undefined;
  }

  async #start(sessionId: string, principal: string): Promise<LegacySession> {
    const session = this.#make(sessionId, principal);
    await session.start();
    return session;
  }

  async #adopt(sessionId: string, { principal, initialize }: SessionRecord): Promise<LegacySession> {
    const session = this.#make(sessionId, principal);
    await session.adopt(initialize);
    return session;
  }

  #make(sessionId: string, principal: string): LegacySession {
    const record: LegacySessionOptions['record'] = (message, asked) =>
      takeAnswer(this.#parts, message, { principal, asked });
    return new LegacySession({ sessionId, principal, pace: this.#pace, create: this.#create, record });
  }

  /** Puts the session last in line for being dropped. */
  #keep(sessionId: string, session: Promise<LegacySession>): Promise<LegacySession> {
    this.#sessions.delete(sessionId);
    this.#sessions.set(sessionId, { session, usedAt: this.#pace.clock.monotonic() });
    session.catch(() => this.#sessions.delete(sessionId));
    if (this.#sessions.size > MOST_SESSIONS) void this.#sweep();
    this.#armSweep();
    return session;
  }

  #armSweep(): void {
    this.#stopSweep ??= this.#pace.clock.after(SWEEP_MS, () => {
      this.#stopSweep = undefined;
      void this.#sweep().then(() => this.#sessions.size > 0 && this.#armSweep());
    });
  }

  #forget(sessionId: string): void {
    this.#sessions.delete(sessionId);
    this.#ended.add(sessionId);
    const [oldest] = this.#ended;
    if (this.#ended.size > MOST_ENDED && oldest !== undefined) this.#ended.delete(oldest);
  }

  async #sweep(): Promise<void> {
    const idleSince = this.#pace.clock.monotonic() - this.#parts.settings.http.sessionIdleMs;
    let excess = this.#sessions.size - MOST_SESSIONS;
    for (const [sessionId, entry] of [...this.#sessions]) {
      if (entry.usedAt > idleSince && excess <= 0) break;
      const session = await entry.session.catch(() => undefined);
      if (!session?.isIdle || this.#sessions.get(sessionId) !== entry) continue;
      this.#sessions.delete(sessionId);
      excess--;
      session.close().catch(this.#parts.report);
    }
  }
}
