/**
 * Tells subscribers what has been committed, here or in another process.
 *
 * Most of what this process commits it tells without a read (`own-commits.ts`). The rest is read: events carry the number
 * of the transaction that wrote them; a look asks for those that are committed now and were not at the look before, by the
 * snapshots of both. Transactions may commit in any order and none is missed or told twice.
 *
 * When to look: when NOTIFY tells of another's commit, after one of this process that others have written before, and now
 * and then in case a hint was lost. Without subscribers there is no connection and nothing is read.
 */
import { TaskError } from '../../../errors.ts';
import type { Change, Changes } from '../../contract.ts';
import type { Connection } from '../connection.ts';
import { Session } from '../connection.ts';
import type { PostgresPool } from '../postgres-options.ts';
import { TELL } from './announcer.ts';
import { type NumberedChange, OwnCommits } from './own-commits.ts';

const BASELINE =
  'SELECT pg_current_snapshot()::text AS snapshot, pg_snapshot_xmin(pg_current_snapshot())::text AS xmin';
const LOOK = `SELECT now.snapshot, now.xmin, new.xid, new."taskId", new.type
  FROM (SELECT pg_current_snapshot()::text AS snapshot, pg_snapshot_xmin(pg_current_snapshot())::text AS xmin) AS now
  LEFT JOIN LATERAL (SELECT event.row, event.xid::text AS xid, task.id AS "taskId", event.type FROM @event AS event
    JOIN @task AS task ON task.row = event.task
    WHERE event.xid >= $2::text::xid8 AND NOT pg_visible_in_snapshot(event.xid, $1::text::pg_snapshot)
      AND event.xid <> ALL($3::text[]::xid8[])) AS new ON true
  ORDER BY new.row`;

/** How long a hint may be lost before it is noticed. */
const POLL_MS = 5000;
const RECONNECT_MS = 200;
/** A look passes over all that was told from here since the look before. */
const MAX_OWN = 200;
/** What is told to find out whether anything is heard. */
const PROBE = 'probe ';
const PROBE_MS = 5000;
const UNHEARD = `what other processes write is not announced here, and is found by looking every ${POLL_MS / 1000} s only; is there a \
pooler in transaction mode between? Give the address of the database itself as listenUrl`;

type Listener = (changes: readonly Change[]) => void;

interface Seen {
  readonly snapshot: string;
  readonly xmin: string;
}

interface Found {
  readonly xid: string;
  readonly taskId: string | null;
  readonly type: Change['type'];
}

export interface ChangeFeedOptions {
  readonly connection: Connection;
  /** Where LISTEN goes. */
  readonly pool: PostgresPool;
  readonly channel: string;
  /** Names this process, whose own hints it need not hear. */
  readonly self: string;
  /** Others listen, and may not have heard of what was committed before. */
  readonly onCompany: () => void;
  readonly onError: (error: unknown) => void;
}

export class ChangeFeed implements Changes {
  readonly #options: ChangeFeedOptions;
  readonly #listeners = new Set<Listener>();
  #session: Session | undefined;
  #starting: Promise<void> | undefined;
  #seen: Seen | undefined;
  #looking: Promise<void> | undefined;
  #isDue = false;
  #poll: NodeJS.Timeout | undefined;
  #isClosed = false;
  /** Whether a hint of our own has come back, or it was said that none does. */
  #isHeard = false;
  /** Whether others listen, as far as this connection has heard. */
  #company: 'unknown' | 'none' | 'some' = 'unknown';
  readonly #own = new OwnCommits();

  constructor(options: ChangeFeedOptions) {
    this.#options = options;
  }

  subscribe(listener: Listener): () => void {
    // A wrapper of its own, so that one function subscribed twice is called twice and called off once.
    const entry: Listener = (changes) => listener(changes);
    this.#listeners.add(entry);
    if (this.#listeners.size === 1) this.#start();
    return () => {
      if (this.#listeners.delete(entry) && this.#listeners.size === 0) this.#stop();
    };
  }

  /** Resolves once nothing that is written from now on can be missed. */
  get ready(): Promise<void> | undefined {
    return this.#starting;
  }

  /**
   * Whether nobody else listens, so that nothing need be told. Whoever begins to listen says so, is answered by all others,
   * and then looks.
   */
  get isAlone(): boolean {
    return this.#session !== undefined && this.#company === 'none';
  }

  /** This process is about to commit a transaction. */
  begin(xid: string, changes: readonly NumberedChange[]): void {
    this.#own.begin(xid, changes);
  }

  /** It has, with these changes: none where nothing was kept. */
  end(xid: string, changes: readonly NumberedChange[]): void {
    const isToldHere = this.#own.end(xid, changes);
    if (this.#listeners.size === 0) this.#own.forget(this.#own.told);
    if (changes.length === 0 || this.#listeners.size === 0) return;
    if (isToldHere) this.#tell(changes.map(({ taskId, type }) => ({ taskId, type })));
    if (!isToldHere || this.#own.told.length >= MAX_OWN) this.touch();
  }

  /** Somebody has committed something. */
  touch(): void {
    if (this.#listeners.size === 0) return;
    this.#isDue = true;
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
      if (this.#isDue) this.touch();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#listeners.clear();
    this.#stop();
    await this.#starting;
    await this.#looking;
  }

  #start(): void {
    this.#seen = undefined;
    // One that is on its way since an earlier subscription serves this one, too.
    this.#starting ??= this.#establish(undefined).finally(() => {
      this.#starting = undefined;
    });
    this.#poll = setInterval(() => this.touch(), POLL_MS).unref();
  }

  /** Goes on trying until there is a connection, or nobody who needs one. */
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
    clearInterval(this.#poll);
    this.#session?.giveBack(true);
    this.#session = undefined;
  }

  async #connect(): Promise<void> {
    const { pool, connection, channel } = this.#options;
    const client = await pool.connect();
    if (this.#listeners.size === 0 || this.#isClosed) {
      client.release(true);
      return;
    }
    const session = new Session(client, (ask) => connection.toQuery(ask));
    this.#company = 'unknown';
    client.on('notification', ({ payload = '' }) => this.#hear(payload));
    client.on('error', (error) => this.#lose(session, error));
    client.on('end', () => this.#lose(session, undefined));
    try {
      await session.script(`LISTEN ${channel}`);
      this.#seen ??= (await session.rows<Seen>(BASELINE))[0];
    } catch (error) {
      session.giveBack(true);
      throw error;
    }
    this.#session = session;
    void this.#probe(session);
    // Hints may have gone by while there was no connection.
    this.touch();
  }

  #hear(payload: string): void {
    const { self, onCompany } = this.#options;
    const isProbe = payload.startsWith(PROBE);
    if (payload === `${PROBE}${self}`) {
      this.#isHeard = true;
      if (this.#company === 'unknown') this.#company = 'none';
    } else if (payload !== self) {
      const isNews = isProbe || this.#company !== 'some';
      this.#company = 'some';
      if (isNews) onCompany();
      if (!isProbe) this.touch();
    }
  }

  /** Behind a pooler in transaction mode LISTEN is granted and nothing is ever heard. Said once. */
  async #probe(session: Session): Promise<void> {
    const { connection, channel, self, onError } = this.#options;
    const tell = () =>
      connection.read(TELL, channel, `${PROBE}${self}`).then(
        () => true,
        () => false,
      );
    // Those who take themselves for alone tell nothing until they hear it.
    while (!(await tell()) && this.#session === session) {
      await new Promise<void>((resolve) => setTimeout(resolve, RECONNECT_MS).unref());
    }
    await new Promise<void>((resolve) => setTimeout(resolve, PROBE_MS).unref());
    if (this.#isHeard || this.#session !== session) return;
    this.#isHeard = true;
    onError(new TaskError('STORE_FAILED', `${connection.place}: ${UNHEARD}`));
  }

  #lose(session: Session, error: unknown): void {
    if (this.#session !== session) return;
    this.#session = undefined;
    // A standby that takes over may give these numbers to others. Told twice is better than not at all.
    this.#own.forget(this.#own.told);
    session.giveBack(true);
    void this.#establish(error ?? new Error('the connection for LISTEN was closed'));
  }

  async #look(): Promise<void> {
    this.#isDue = false;
    const session = this.#session;
    const seen = this.#seen;
    if (session === undefined || seen === undefined) return;
    const { told, underWay } = this.#own;
    try {
      const rows = await session.rows<Seen & Found>(LOOK, seen.snapshot, seen.xmin, [...told, ...underWay]);
      const [first] = rows;
      if (first) this.#seen = { snapshot: first.snapshot, xmin: first.xmin };
      const changes = rows.flatMap((row) => (row.taskId === null || this.#own.has(row.xid) ? [] : [toChange(row)]));
      // What was told before the look is in its snapshot.
      this.#own.forget(told);
      if (changes.length === 0) return;
      // Others may have gone on with a task whose commit was not answered yet.
      await this.#own.settled();
      this.#tell(changes);
    } catch (error) {
      this.#lose(session, error);
    }
  }

  #tell(changes: readonly Change[]): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(changes);
      } catch (error) {
        this.#options.onError(error);
      }
    }
  }
}

function toChange({ taskId, type }: Found): Change {
  return { taskId: taskId ?? '', type };
}
