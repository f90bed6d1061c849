import { dirname, join } from 'node:path';
import { systemClock } from '../../clock.ts';
import { TaskError } from '../../errors.ts';
import { openDatabase } from '../../sqlite/open.ts';
import { Writer } from '../../sqlite/writer.ts';
import { SQLITE_HEARTBEAT, type Store } from '../contract.ts';
import type { Outbox } from '../contracts/outbox-contract.ts';
import type { WorkerRegistry } from '../contracts/worker-contract.ts';
import { warn } from '../warn.ts';
import { createArtifacts } from './artifacts.ts';
import { ChangeFeed } from './change-feed.ts';
import { createDeadlines } from './deadlines.ts';
import { DATABASE_FILE, resolveStoreDirectory } from './directory.ts';
import { createHolds } from './holds.ts';
import { findNextDue, listWaiting, postponeMessage, removeMessage, takeMessages } from './outbox.ts';
import { noteDatabase } from './page-limit.ts';
import { createPrograms } from './programs.ts';
import { STORE_SCHEMA } from './schema.ts';
import { createSessions } from './sessions.ts';
import { SqliteTime } from './sqlite-time.ts';
import { checkStoreOptions, type SqliteStoreOptions } from './store-options.ts';
import { createSqliteTasks } from './tasks/sqlite-tasks.ts';
import { type SqliteState, transact } from './transact.ts';
import { listGroups, listOrphanedGroups, trackGroup, untrackGroup } from './workers/process-groups.ts';
import { observeSilence } from './workers/silences.ts';
import {
  drainWorker,
  listLeases,
  listWorkers,
  registerWorker,
  renewWorker,
  reserveWorker,
  retireWorker,
} from './workers/workers.ts';
import { WrittenEvents } from './written-events.ts';

/** Opens a store in a SQLite file, and creates or migrates it when needed. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  checkStoreOptions(options);
  const path = toPath(options);
  const { synchronous = 'full', readOnly = false, create = true, clock = systemClock } = options;
  const db = openDatabase({ path, schema: STORE_SCHEMA, synchronous, readOnly, create });
  const written = new WrittenEvents();
  const feed = new ChangeFeed(db, options.onError ?? warn);
  const writer = new Writer(db, {
    version: STORE_SCHEMA.migrations.length,
    lockWaitMs: options.lockWaitMs ?? 10_000,
    onBegin: () => written.begin(),
    afterCommit: () => feed.announce(written.run),
  });
  const time = new SqliteTime(db, clock);
  const state: SqliteState = { db, writer, time, written };
  const store: Store = {
    tasks: createSqliteTasks(state),
    artifacts: createArtifacts(state),
    workers: createWorkers(state),
    outbox: createOutbox(state),
    holds: createHolds(state),
    sessions: createSessions(state),
    deadlines: createDeadlines(state),
    programs: createPrograms(state),
    changes: feed,
    time: () => time.readOrEstimate(),
    heartbeat: {
      module: SQLITE_HEARTBEAT,
      // A thread cannot share a clock that a test moves; it then leaves keeping the time to its store.
      options: { path: db.path, keepsTime: clock === systemClock },
    },
    directory: dirname(db.path),
    async close() {
      await writer.close();
      feed.close();
      db.close();
    },
  };
  noteDatabase(store, db);
  return store;
}

function toPath({ path, name }: SqliteStoreOptions): string {
  if (path !== undefined) return path;
  if (name !== undefined) return join(resolveStoreDirectory(name), DATABASE_FILE);
  throw new TaskError('INVALID_ARGUMENT', 'A SQLite store needs a path or a name; give one of the two');
}

function createWorkers(state: SqliteState): WorkerRegistry {
  const { db } = state;
  return {
    reserve: (worker) => transact(state, 'worker-reserve', (tx) => reserveWorker(tx, worker)),
    register: (worker) => transact(state, 'worker-register', (tx) => registerWorker(tx, worker)),
    renew: (workerId, leaseMs) => transact(state, 'worker-renew', (tx) => renewWorker(tx, { workerId, leaseMs })),
    retire: (workerId, how) => transact(state, 'worker-retire', (tx) => retireWorker(tx, workerId, how)),
    list: async (identity) => listWorkers(db, identity),
    leases: async (workerId) => listLeases(db, workerId),
    observe: (look) => transact(state, 'worker-observe', (tx) => observeSilence(tx, look)),
    drain: (workerId, until) => transact(state, 'worker-drain', (tx) => drainWorker(tx, workerId, until)),
    track: (group) => transact(state, 'worker-track', (tx) => trackGroup(tx, group)),
    untrack: (workerId, pid) => transact(state, 'worker-untrack', (tx) => untrackGroup(tx, workerId, pid)),
    groups: async (workerId) => listGroups(db, workerId),
    orphanedGroups: async (host) => listOrphanedGroups(db, host),
  };
}

function createOutbox(state: SqliteState): Outbox {
  const { db, writer, time } = state;
  return {
    async take(request) {
      const nextDueAt = findNextDue(db, request.topics);
      const isNothingDue = nextDueAt === undefined || nextDueAt > time.read().now;
      if (writer.isIdle && isNothingDue)
        return nextDueAt === undefined ? { messages: [] } : { messages: [], nextDueAt };
      return transact(state, 'outbox-take', (tx) => takeMessages(tx, request));
    },
    done: (messageId) => transact(state, 'outbox-done', (tx) => removeMessage(tx, messageId)),
    waiting: async (taskId) => listWaiting(state.db, taskId),
    postpone: (messageId, dueAt) => transact(state, 'outbox-postpone', (tx) => postponeMessage(tx, messageId, dueAt)),
  };
}
