/**
 * Notifies subscribers of what was committed, in this or another process.
 *
 * Most commits of this process are announced without reading them back (`own-commits.ts`). All others are read: events carry
 * the id of their transaction, and each poll asks for those that are committed in its snapshot and were not in the snapshot
 * of the poll before. Transactions may commit in any order; none is missed or announced twice.
 *
 * It polls when NOTIFY reports a commit of another process, after an own commit that cannot be announced directly, and now
 * and then in case a hint was lost. Without subscribers there is no connection and nothing is read.
 */
import { TaskError } from '../../../errors.ts';
import type { Change, Changes } from '../../contract.ts';
import type { Connection } from '../connection.ts';
import { Session } from '../connection.ts';
import type { PostgresPool } from '../postgres-options.ts';
import { NOTIFY_SQL } from './announcer.ts';
import { type NumberedChange, OwnCommits } from './own-commits.ts';

const BASELINE =
  'SELECT pg_current_snapshot()::text AS snapshot, pg_snapshot_xmin(pg_current_snapshot())::text AS xmin';
const READ_CHANGES = `SELECT now.snapshot, now.xmin, new.xid, new."taskId", new.type
  FROM (SELECT pg_current_snapshot()::text AS snapshot, pg_snapshot_xmin(pg_current_snapshot())::text AS xmin) AS now
  LEFT JOIN LATERAL (SELECT event.row, event.xid::text AS xid, task.id AS "taskId", event.type FROM @event AS event
    JOIN @task AS task ON task.row = event.task
    WHERE event.xid >= $2::text::xid8 AND NOT pg_visible_in_snapshot(event.xid, $1::text::pg_snapshot)
      AND event.xid <> ALL($3::text[]::xid8[])) AS new ON true
  ORDER BY new.row`;

/** How often to poll in case a hint was lost. */
const POLL_MS = 5000;
const RECONNECT_MS = 200;
/** How many announced commits a poll may have to skip before an extra poll is made. */
const MAX_OWN = 200;
/** The prefix of the NOTIFY that checks whether notifications arrive at all. */
const PROBE = 'probe ';
const PROBE_MS = 5000;
const NOTIFY_BROKEN = `what other processes write is not announced here, and is found by looking every ${POLL_MS / 1000} s only; is there a \
pooler in transaction mode between? Give the address of the database itself as listenUrl`;

type Listener = (changes: readonly Change[]) => void;

interface Snapshot {
  readonly snapshot: string;
  readonly xmin: string;
}

interface ChangeRow {
  readonly xid: string;
  readonly taskId: string | null;
  readonly type: Change['type'];
}

export interface ChangeFeedOptions {
  readonly connection: Connection;
  /** The pool for the LISTEN connection. */
  readonly pool: PostgresPool;
  readonly channel: string;
  /** The id of this process, so that it can ignore its own hints. */
  readonly self: string;
  /** Called when another process starts to listen: it may have missed earlier commits. */
  readonly onPeerListening: () => void;
  readonly onError: (error: unknown) => void;
}

export class ChangeFeed implements Changes {
  readonly #options: ChangeFeedOptions;
  readonly #listeners = new Set<Listener>();
  #session: Session | undefined;
  #starting: Promise<void> | undefined;
  #lastSnapshot: Snapshot | undefined;
  #polling: Promise<void> | undefined;
  #isDue = false;
  #pollTimer: NodeJS.Timeout | undefined;
  #isClosed = false;
  /** Whether a hint of our own has come back, or the warning that none does was given. */
  #isProbeSettled = false;
  /** Whether other processes listen, as far as this connection knows. */
  #peers: 'unknown' | 'none' | 'some' = 'unknown';
  readonly #own = new OwnCommits();

  constructor(options: ChangeFeedOptions) {
    this.#options = options;
  }

  subscribe(listener: Listener): () => void {
    // A separate wrapper, so that a function subscribed twice is called twice and each subscription ends separately.
    const entry: Listener = (changes) => listener(changes);
    this.#listeners.add(entry);
    if (this.#listeners.size === 1) this.#start();
    return () => {
      if (this.#listeners.delete(entry) && this.#listeners.size === 0) this.#stop();
    };
  }

  /** Resolves once no later write can be missed. */
  get ready(): Promise<void> | undefined {
    return this.#starting;
  }

  /**
   * Whether no other process listens, so that no hints need to be sent. A process that starts to listen sends a probe; all
   * others answer it, and then it polls.
   */
  get isAlone(): boolean {
    return this.#session !== undefined && this.#peers === 'none';
  }

  /** Call before this process commits a transaction. */
  begin(xid: string, changes: readonly NumberedChange[]): void {
    this.#own.begin(xid, changes);
  }

  /** Call after the commit, with its changes, or with none if nothing was committed. */
  end(xid: string, changes: readonly NumberedChange[]): void {
    const isAnnouncedHere = this.#own.end(xid, changes);
    if (this.#listeners.size === 0) this.#own.forget(this.#own.announcedXids);
    if (changes.length === 0 || this.#listeners.size === 0) return;
    if (isAnnouncedHere) this.#notifyListeners(changes.map(({ taskId, type }) => ({ taskId, type })));
    if (!isAnnouncedHere || this.#own.announcedXids.length >= MAX_OWN) this.pollSoon();
  }

  /** Schedules a poll. */
  pollSoon(): void {
    if (this.#listeners.size === 0) return;
    this.#isDue = true;
    this.#polling ??= this.#readChanges().finally(() => {
      this.#polling = undefined;
      if (this.#isDue) this.pollSoon();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#listeners.clear();
    this.#stop();
    await this.#starting;
    await this.#polling;
  }

  #start(): void {
    this.#lastSnapshot = undefined;
    // A connection that is being opened for an earlier subscription serves this one too.
    this.#starting ??= this.#establish(undefined).finally(() => {
      this.#starting = undefined;
    });
    this.#pollTimer = setInterval(() => this.pollSoon(), POLL_MS).unref();
  }

  /** Tries until there is a connection or no subscriber is left. */
  async #establish(before: unknown): Promise<void> {
    let failure = before;
    while (!this.#isClosed && this.#listeners.size > 0 && this.#session === undefined) {
      if (failure !== undefined) {
        this.#options.onError(failure);
        await new Promise<void>((resolve) => setTimeout(resolve, RECONNECT_MS).unref());
      }
      failure = await this.#connect().catch((error: unknown) => error ?? new Error('no connection'));
    }
  }

  #stop(): void {
    clearInterval(this.#pollTimer);
    this.#session?.release(true);
    this.#session = undefined;
  }

  async #connect(): Promise<void> {
    const { pool, connection, channel } = this.#options;
    const client = await pool.connect();
    if (this.#listeners.size === 0 || this.#isClosed) {
      client.release(true);
      return;
    }
    const session = new Session(client, (input) => connection.toQuery(input));
    this.#peers = 'unknown';
    client.on('notification', ({ payload = '' }) => this.#onNotification(payload));
    client.on('error', (error) => this.#onConnectionLost(session, error));
    client.on('end', () => this.#onConnectionLost(session, undefined));
    try {
      await session.script(`LISTEN ${channel}`);
      this.#lastSnapshot ??= (await session.rows<Snapshot>(BASELINE))[0];
    } catch (error) {
      session.release(true);
      throw error;
    }
    this.#session = session;
    void this.#probe(session);
    // Hints may have been missed while there was no connection.
    this.pollSoon();
  }

  #onNotification(payload: string): void {
    const { self, onPeerListening } = this.#options;
    const isProbe = payload.startsWith(PROBE);
    if (payload === `${PROBE}${self}`) {
      this.#isProbeSettled = true;
      if (this.#peers === 'unknown') this.#peers = 'none';
    } else if (payload !== self) {
      const mayHaveMissed = isProbe || this.#peers !== 'some';
      this.#peers = 'some';
      if (mayHaveMissed) onPeerListening();
      if (!isProbe) this.pollSoon();
    }
  }

  /** Behind a pooler in transaction mode, LISTEN succeeds but no notification ever arrives. Warns once. */
  async #probe(session: Session): Promise<void> {
    const { connection, channel, self, onError } = this.#options;
    const sendProbe = () =>
      connection.read(NOTIFY_SQL, channel, `${PROBE}${self}`).then(
        () => true,
        () => false,
      );
    // Repeated until sent: processes that think they are alone send no hints until they receive it.
    while (!(await sendProbe()) && this.#session === session) {
      await new Promise<void>((resolve) => setTimeout(resolve, RECONNECT_MS).unref());
    }
    await new Promise<void>((resolve) => setTimeout(resolve, PROBE_MS).unref());
    if (this.#isProbeSettled || this.#session !== session) return;
    this.#isProbeSettled = true;
    onError(new TaskError('STORE_FAILED', `${connection.place}: ${NOTIFY_BROKEN}`));
  }

  #onConnectionLost(session: Session, error: unknown): void {
    if (this.#session !== session) return;
    this.#session = undefined;
    // After a failover, a standby may give these transaction ids to others. Announcing a change twice is better than missing
    // it.
    this.#own.forget(this.#own.announcedXids);
    session.release(true);
    void this.#establish(error ?? new Error('the connection for LISTEN was closed'));
  }

  async #readChanges(): Promise<void> {
    this.#isDue = false;
    const session = this.#session;
    const last = this.#lastSnapshot;
    if (session === undefined || last === undefined) return;
    const { announcedXids, pendingXids } = this.#own;
    try {
      const rows = await session.rows<Snapshot & ChangeRow>(READ_CHANGES, last.snapshot, last.xmin, [
        ...announcedXids,
        ...pendingXids,
      ]);
      const [first] = rows;
      if (first) this.#lastSnapshot = { snapshot: first.snapshot, xmin: first.xmin };
      const changes = rows.flatMap((row) => (row.taskId === null || this.#own.has(row.xid) ? [] : [toChange(row)]));
      // What was announced before the poll is in its snapshot.
      this.#own.forget(announcedXids);
      if (changes.length === 0) return;
      // Other processes may already have written to a task whose commit here is not confirmed yet.
      await this.#own.settled();
      this.#notifyListeners(changes);
    } catch (error) {
      this.#onConnectionLost(session, error);
    }
  }

  #notifyListeners(changes: readonly Change[]): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(changes);
      } catch (error) {
        this.#options.onError(error);
      }
    }
  }
}

function toChange({ taskId, type }: ChangeRow): Change {
  return { taskId: taskId ?? '', type };
}
