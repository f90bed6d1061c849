/** The worker registry. A lease belongs to the worker: one heartbeat renews all its tasks. */

import type { Lease } from '../../contracts/task-contract.ts';
import type {
  NewWorker,
  ProcessRef,
  ReserveResult,
  Silence,
  SilentLook,
  WorkerInfo,
  WorkerKind,
  WorkerRegistry,
  WorkerState,
} from '../../contracts/worker-contract.ts';
import { canRetire, decideReserve, decideSilence, type SilenceRow, toSilence, toUntil } from '../../decide-worker.ts';
import type { PostgresState } from '../postgres-state.ts';
import { countWaiting } from '../tasks/admission-control.ts';
import { leaveQueuesOf } from '../tasks/task-queue.ts';
import { WORK_COLUMNS } from '../tasks/task-row.ts';
import type { Transaction } from '../transaction.ts';
import { createGroups, dropGroups } from './process-groups.ts';

const COLUMNS = `worker.id, worker.identity, worker.kind, worker.state, worker.build_id, worker.build_at, worker.host,
  worker.pid, worker.start_time, worker.until, worker.lease_ms`;
const SILENCE_COLUMNS = `silence.until AS silent_until, silence.sign, silence.silent_ms, silence.looks, silence.since,
  silence.seen_by, silence.stalled_ms`;
const LIST = `SELECT ${COLUMNS}, ${SILENCE_COLUMNS} FROM @worker AS worker
  LEFT JOIN @silence AS silence ON silence.worker = worker.id`;
const LIST_ALL = `${LIST} ORDER BY worker.row`;
const LIST_OF = `${LIST} WHERE worker.identity = $1 ORDER BY worker.row`;
const LOCK_PLACE = 'SELECT pg_advisory_xact_lock(hashtextextended($1, 13))';
const FIND = `${LIST} WHERE worker.id = $1 FOR NO KEY UPDATE OF worker`;
const FIND_FOR_GOOD = `${LIST} WHERE worker.id = $1 FOR UPDATE OF worker`;
const SAVE = `INSERT INTO @worker (id, identity, kind, state, build_id, build_at, host, pid, start_time, until, lease_ms)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
  ON CONFLICT (id) DO UPDATE SET identity = excluded.identity, kind = excluded.kind, state = excluded.state,
    build_id = excluded.build_id, build_at = excluded.build_at, host = excluded.host, pid = excluded.pid,
    start_time = excluded.start_time, until = excluded.until, lease_ms = excluded.lease_ms`;
// A starting worker has no process yet; the columns name its starter until then.
const DRAIN = `UPDATE @worker SET state = 'draining', host = CASE state WHEN 'starting' THEN NULL ELSE host END
  WHERE id = $1`;
const RENEW = 'UPDATE @worker SET until = $2 WHERE id = $1';
const END_SILENCE = 'DELETE FROM @silence WHERE worker = $1';
const HAS_LEASE = 'SELECT 1 FROM @task WHERE worker = $1 LIMIT 1';
const LEASES = 'SELECT id AS "taskId", fence, worker FROM @task WHERE worker = $1 ORDER BY row';
const SAVE_SILENCE = `INSERT INTO @silence (worker, until, sign, silent_ms, looks, since, seen_by, stalled_ms)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
  ON CONFLICT (worker) DO UPDATE SET until = excluded.until, sign = excluded.sign, silent_ms = excluded.silent_ms,
    looks = excluded.looks, since = excluded.since, seen_by = excluded.seen_by, stalled_ms = excluded.stalled_ms`;
const HELD_BY = `SELECT ${WORK_COLUMNS} FROM @task AS task WHERE worker = $1 ORDER BY row FOR UPDATE`;

interface WorkerRow {
  readonly id: string;
  readonly identity: string;
  readonly kind: WorkerKind;
  readonly state: WorkerState;
  readonly build_id: string;
  readonly build_at: number;
  readonly host: string | null;
  readonly pid: number | null;
  readonly start_time: string | null;
  readonly until: number;
  readonly lease_ms: number;
  readonly silent_until: number | null;
  readonly sign: string | null;
  readonly silent_ms: number;
  readonly looks: number;
  readonly since: number;
  readonly seen_by: string;
  readonly stalled_ms: number | null;
}

export function createWorkers(state: PostgresState): WorkerRegistry {
  const { connection, transactor, reads } = state;
  return {
    reserve: (worker) => transactor.run('worker-reserve', (tx) => reserve(tx, worker)),
    register: (worker) => transactor.run('worker-register', (tx) => register(tx, worker)),
    renew: (workerId, leaseMs) => transactor.run('worker-renew', (tx) => renewWorker(tx, workerId, leaseMs)),
    retire: (workerId, how) => transactor.run('worker-retire', (tx) => retire(tx, workerId, how), { isAlone: true }),
    list: (identity) =>
      reads(async () => {
        const rows = await (identity === undefined
          ? connection.read<WorkerRow>(LIST_ALL)
          : connection.read<WorkerRow>(LIST_OF, identity));
        return rows.map(toWorkerInfo);
      }),
    leases: (workerId) => reads(() => connection.read<Lease>(LEASES, workerId)),
    observe: (look) => transactor.run('worker-observe', (tx) => observe(tx, look)),
    drain: (workerId, until) => transactor.run('worker-drain', (tx) => drain(tx, workerId, until)),
    ...createGroups(state),
  };
}

async function reserve(tx: Transaction, worker: NewWorker & { readonly starter?: ProcessRef }): Promise<ReserveResult> {
  // Without the lock, two concurrent reservations would both find the place free.
  await tx.rows(LOCK_PLACE, worker.identity);
  const others = (await tx.rows<WorkerRow>(LIST_OF, worker.identity)).map(toWorkerInfo);
  const { holder, drain } = decideReserve(others, worker);
  if (holder) return { kind: 'exists', worker: holder };
  for (const { workerId } of drain) tx.enqueue(DRAIN, workerId);
  const until = toUntil(tx.now, worker.leaseMs);
  tx.enqueue(SAVE, ...toValues(worker, { state: 'starting', until, process: worker.starter }));
  return { kind: 'reserved' };
}

async function register(tx: Transaction, worker: NewWorker & { readonly process: ProcessRef }): Promise<boolean> {
  const reserved = worker.kind === 'detached' ? await tx.row<WorkerRow>(FIND, worker.workerId) : undefined;
  if (worker.kind === 'detached' && reserved?.state !== 'starting') return false;
  // A process that was about to recover the reservation must see that `until` has changed.
  const until = toUntil(tx.now, worker.leaseMs, reserved?.until);
  tx.enqueue(SAVE, ...toValues(worker, { state: 'ready', until, process: worker.process }));
  return true;
}

/** Records one heartbeat; the heartbeat thread runs it too, on a connection of its own. */
export async function renewWorker(
  tx: Transaction,
  workerId: string,
  leaseMs: number,
): Promise<WorkerState | undefined> {
  const worker = await tx.row<WorkerRow>(FIND, workerId);
  if (worker === undefined) return undefined;
  tx.enqueue(RENEW, workerId, toUntil(tx.now, leaseMs, worker.until));
  // `until` may return to an earlier value when heartbeats are close together or the clock was set, so the silence is
  // deleted.
  if (worker.silent_until !== null) tx.enqueue(END_SILENCE, workerId);
  return worker.state;
}

async function retire(tx: Transaction, workerId: string, options: { readonly ifIdle: boolean }): Promise<boolean> {
  // As in `recover`: no claim of this worker is in progress once its row is locked.
  const worker = await tx.row<WorkerRow>(FIND_FOR_GOOD, workerId);
  if (worker === undefined) return false;
  const leased = (await tx.rows(HAS_LEASE, workerId)).length;
  const queued = options.ifIdle ? await countWaiting(tx, { identity: worker.identity }) : 0;
  if (!canRetire({ state: worker.state, leased, queued }, options)) return false;
  await removeWorker(tx, workerId);
  dropGroups(tx, workerId);
  return true;
}

/** Removes a worker; the caller handles its process groups. */
export async function removeWorker(tx: Transaction, workerId: string): Promise<void> {
  await leaveQueuesOf(tx, workerId);
  tx.enqueue('DELETE FROM @worker WHERE id = $1', workerId);
  tx.enqueue(END_SILENCE, workerId);
}

/** Frees the place of a worker that has sent no heartbeat since `until` was read. */
async function drain(tx: Transaction, workerId: string, until: number): Promise<boolean> {
  if ((await tx.row<WorkerRow>(FIND, workerId))?.until !== until) return false;
  tx.enqueue(DRAIN, workerId);
  return true;
}

async function observe(tx: Transaction, look: SilentLook): Promise<Silence | undefined> {
  const { workerId } = look;
  const worker = await tx.row<WorkerRow>(FIND, workerId);
  if (worker?.until !== look.until) return undefined;
  const { row, hasStalled } = decideSilence(toSilenceRow(worker), look, tx.now);
  const { until, sign = null, silentMs, looks, since, by, stalledMs = null } = row;
  // Written even when nothing is added: the observation only counts because the store could be written.
  tx.enqueue(SAVE_SILENCE, workerId, until, sign, silentMs, looks, since, by, stalledMs);
  if (hasStalled) {
    for (const task of await tx.findAll(HELD_BY, workerId)) {
      task.updated_at = tx.now;
      tx.change(task, [{ type: 'stalled', worker: workerId, silentMs }]);
    }
  }
  return toSilence(row);
}

function toValues(
  { workerId, identity, kind, build, leaseMs }: NewWorker,
  { state, until, process }: Pick<WorkerInfo, 'state' | 'until'> & { readonly process: ProcessRef | undefined },
): unknown[] {
  const place = process ? [process.host, process.pid, process.startTime] : [null, null, null];
  return [workerId, identity, kind, state, build.id, build.at, ...place, until, leaseMs];
}

function toWorkerInfo(row: WorkerRow): WorkerInfo {
  const { identity, kind, state, until, host, pid, start_time: startTime, lease_ms: leaseMs } = row;
  const build = { id: row.build_id, at: row.build_at };
  const silence = toSilenceRow(row);
  const heard = silence?.until === until ? { silence: toSilence(silence) } : {};
  const info = { workerId: row.id, identity, kind, state, build, until, leaseMs, ...heard };
  if (host === null || pid === null || startTime === null) return info;
  const ref = { host, pid, startTime };
  // The columns hold the starter until the worker has registered.
  return state === 'starting' ? { ...info, starter: ref } : { ...info, process: ref };
}

function toSilenceRow(row: WorkerRow): SilenceRow | undefined {
  const { silent_until: until, sign, silent_ms: silentMs, looks, since, seen_by: by, stalled_ms: stalledMs } = row;
  if (until === null) return undefined;
  const kept = { until, silentMs, looks, since, by, ...(sign !== null && { sign }) };
  return stalledMs === null ? kept : { ...kept, stalledMs };
}
