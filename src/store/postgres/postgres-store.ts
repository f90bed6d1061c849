import { randomUUID } from 'node:crypto';
import { withCodec } from '../codec/with-codec.ts';
import { type HeartbeatSource, POSTGRES_HEARTBEAT, type Store } from '../contract.ts';
import { warn } from '../warn.ts';
import { createArtifacts } from './artifacts.ts';
import { Announcer } from './changes/announcer.ts';
import { ChangeFeed } from './changes/change-feed.ts';
import { type Connection, loadPg, openConnection, toPool, withStoreErrors } from './connection.ts';
import { createDeadlines } from './deadlines.ts';
import { isUnreachable, toStoreError } from './failure.ts';
import { createHolds } from './holds.ts';
import { prepareSchema } from './migrate.ts';
import { createOutbox } from './outbox.ts';
import { checkPostgresOptions, type PostgresPool, type PostgresStoreOptions } from './postgres-options.ts';
import type { PostgresState } from './postgres-state.ts';
import { PostgresTime, STORE_COLUMNS, type StoreRow } from './postgres-time.ts';
import { createPrograms } from './programs.ts';
import { createSecrets, shareLocalKey } from './secrets.ts';
import { createSessions } from './sessions.ts';
import { createPostgresTasks } from './tasks/postgres-tasks.ts';
import { Transactor } from './transactor.ts';
import { createWorkers } from './workers/workers.ts';

const READ_STORE = `SELECT ${STORE_COLUMNS} FROM @store WHERE id = 1`;

/** Opens a store in a PostgreSQL database, and creates or migrates its tables when needed. */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  checkPostgresOptions(options);
  const connection = await openConnection(options);
  try {
    return await withStoreErrors(connection.place, () => openStore(connection, options));
  } catch (error) {
    await connection.close();
    throw error;
  }
}

async function openStore(connection: Connection, options: PostgresStoreOptions): Promise<Store> {
  await prepareSchema(connection, { migrate: options.migrate ?? true, name: options.name });
  const time = new PostgresTime(options.clock);
  const [row] = await connection.read<StoreRow>(READ_STORE);
  if (row) time.see(row);
  const patienceMs = options.patienceMs ?? 10_000;
  const listening = await openListening(options);
  const [channel, self] = [`holdfast_${connection.schema}`, randomUUID()];
  const announcer = new Announcer(connection, channel, self);
  const feed = new ChangeFeed({
    ...{ connection, pool: listening.pool, channel, self, onError: options.onError ?? warn },
    onPeerListening: () => announcer.announceSoon(),
  });
  const transactor = new Transactor(connection, time, {
    patienceMs,
    beforeBegin: () => waitFor(feed.ready, patienceMs),
    beforeCommit: (xid, changes) => feed.begin(xid, changes),
    afterCommit(xid, changes) {
      feed.end(xid, changes);
      if (changes.length > 0 && !feed.isAlone) announcer.announceSoon();
    },
  });
  const reads = createReads(connection, { patienceMs, listening: () => waitFor(feed.ready, patienceMs) });
  const state: PostgresState = { connection, transactor, time, reads };
  const secrets = createSecrets(state);
  let closed: Promise<void> | undefined;
  const close = async () => {
    await transactor.close();
    await announcer.close();
    await feed.close();
    await listening.close();
    await connection.close();
  };
  const store: Store = {
    tasks: createPostgresTasks(state),
    artifacts: createArtifacts(state),
    workers: createWorkers(state),
    outbox: createOutbox(state),
    holds: createHolds(state),
    sessions: createSessions(state),
    deadlines: createDeadlines(state),
    programs: createPrograms(state),
    changes: feed,
    secrets,
    time: () => time.read(),
    isShared: true,
    // A thread cannot share a clock that a test moves, nor the user's pool.
    ...(options.url !== undefined && options.clock === undefined && { heartbeat: toHeartbeat(options, connection) }),
    ...(options.directory !== undefined && { directory: options.directory }),
    close() {
      closed ??= close();
      return closed;
    },
  };
  await shareLocalKey(store, secrets);
  return options.codec ? withCodec(store, { codec: options.codec }) : store;
}

function toHeartbeat({ url = '', prepare = true }: PostgresStoreOptions, { schema }: Connection): HeartbeatSource {
  return { module: POSTGRES_HEARTBEAT, options: { url, schema, prepare } };
}

/** LISTEN needs a connection of its own: a pooler in between would drop it. */
async function openListening(options: PostgresStoreOptions): Promise<{ pool: PostgresPool; close(): Promise<void> }> {
  if (options.pool) return { pool: options.pool, close: async () => {} };
  const pool = toPool(await loadPg(), options.listenUrl ?? options.url ?? '', 1);
  return { pool, close: () => pool.end() };
}

const RETRY_MS = 100;

/** Waits until the feed listens: a caller that subscribes and then reads must be notified of everything after that read. */
async function waitFor(ready: Promise<void> | undefined, patienceMs: number): Promise<void> {
  if (ready === undefined) return;
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, patienceMs);
  });
  await Promise.race([ready, tooLong]);
  clearTimeout(timer);
}

interface ReadOptions {
  readonly patienceMs: number;
  listening(): Promise<void>;
}

function createReads({ place }: Connection, { patienceMs, listening }: ReadOptions): PostgresState['reads'] {
  return async (read) => {
    await listening();
    const endsAt = performance.now() + patienceMs;
    for (;;) {
      try {
        return await read();
      } catch (error) {
        if (!isUnreachable(error) || performance.now() >= endsAt) throw toStoreError(error, place);
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS * (0.5 + Math.random())));
    }
  };
}
