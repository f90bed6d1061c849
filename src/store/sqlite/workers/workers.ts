/** The worker registry. A lease belongs to the worker: one heartbeat renews all its tasks. */
import type { Database } from '../../../sqlite/database.ts';
import type { SqliteValue } from '../../../sqlite/driver.ts';
import type { Lease } from '../../contracts/task-contract.ts';
import type {
  NewWorker,
  ProcessRef,
  ReserveResult,
  WorkerInfo,
  WorkerKind,
  WorkerState,
} from '../../contracts/worker-contract.ts';
import { canRetire, decideReserve, toSilence, toUntil } from '../../decide-worker.ts';
import type { Transaction } from '../rows.ts';
import { countQueued } from '../tasks/queue-gauge.ts';
import { leaveQueuesOf } from '../tasks/task-queue.ts';
import { dropGroups } from './process-groups.ts';
import { readSilences } from './silences.ts';

const COLUMNS = 'id, identity, kind, state, build_id, build_at, host, pid, start_time, until, lease_ms';
const SAVE = `INSERT INTO worker (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET identity = excluded.identity, kind = excluded.kind, state = excluded.state,
    build_id = excluded.build_id, build_at = excluded.build_at, host = excluded.host, pid = excluded.pid,
    start_time = excluded.start_time, until = excluded.until, lease_ms = excluded.lease_ms`;
// A starting worker has no process yet; the columns name its starter until then.
const DRAIN = `UPDATE worker SET state = 'draining', host = CASE state WHEN 'starting' THEN NULL ELSE host END
  WHERE id = ?`;
const RENEW = 'UPDATE worker SET until = ? WHERE id = ?';
const END_SILENCE = 'DELETE FROM silence WHERE worker = ?';

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
  readonly lease_ms: number | null;
}

export function listWorkers(db: Database, identity?: string): WorkerInfo[] {
  const rows =
    identity === undefined
      ? db.all<WorkerRow>(`SELECT ${COLUMNS} FROM worker ORDER BY row`)
      : db.all<WorkerRow>(`SELECT ${COLUMNS} FROM worker WHERE identity = ? ORDER BY row`, identity);
  const silences = readSilences(db);
  return rows.map((row) => {
    const silence = silences.get(row.id);
    const info = toWorkerInfo(row);
    return silence?.until === row.until ? { ...info, silence: toSilence(silence) } : info;
  });
}

export function reserveWorker(
  { db, now }: Transaction,
  worker: NewWorker & { readonly starter?: ProcessRef },
): ReserveResult {
  const { holder, drain } = decideReserve(listWorkers(db, worker.identity), worker);
  if (holder) return { kind: 'exists', worker: holder };
  const until = toUntil(now, worker.leaseMs);
  for (const { workerId } of drain) db.run(DRAIN, workerId);
  db.run(SAVE, ...toValues(worker, { state: 'starting', until, process: worker.starter }));
  return { kind: 'reserved' };
}

export function registerWorker(
  { db, now }: Transaction,
  worker: NewWorker & { readonly process: ProcessRef },
): boolean {
  const reserved = worker.kind === 'detached' ? findWorker(db, worker.workerId) : undefined;
  if (worker.kind === 'detached' && reserved?.state !== 'starting') return false;
  const { process } = worker;
  // A process that was about to recover the reservation must see that `until` has changed.
  const until = toUntil(now, worker.leaseMs, reserved?.until);
  db.run(SAVE, ...toValues(worker, { state: 'ready', until, process }));
  return true;
}

/** Records one heartbeat; the heartbeat thread runs it too, on a connection of its own. */
export function renewWorker(
  { db, now }: Pick<Transaction, 'db' | 'now'>,
  { workerId, leaseMs }: { readonly workerId: string; readonly leaseMs: number },
): WorkerState | undefined {
  const worker = findWorker(db, workerId);
  if (worker === undefined) return undefined;
  db.run(RENEW, toUntil(now, leaseMs, worker.until), workerId);
  // `until` may return to an earlier value when heartbeats are close together or the clock was set, so the silence is
  // deleted.
  db.run(END_SILENCE, workerId);
  return worker.state;
}

export function retireWorker({ db }: Transaction, workerId: string, options: { readonly ifIdle: boolean }): boolean {
  const worker = findWorker(db, workerId);
  if (worker === undefined) return false;
  const leased = db.get('SELECT 1 FROM task WHERE worker = ? LIMIT 1', workerId) === undefined ? 0 : 1;
  const queued = options.ifIdle ? countQueued(db, worker.identity) : 0;
  if (!canRetire({ state: worker.state, leased, queued }, options)) return false;
  removeWorker(db, workerId);
  dropGroups(db, workerId);
  return true;
}

/** Removes a worker; the caller handles its process groups. */
export function removeWorker(db: Database, workerId: string): void {
  leaveQueuesOf(db, workerId);
  db.run('DELETE FROM worker WHERE id = ?', workerId);
  db.run(END_SILENCE, workerId);
}

/** Frees the place of a worker that has sent no heartbeat since `until` was read. */
export function drainWorker({ db }: Transaction, workerId: string, until: number): boolean {
  if (findWorker(db, workerId)?.until !== until) return false;
  db.run(DRAIN, workerId);
  return true;
}

const LEASES = 'SELECT id AS taskId, fence, worker FROM task WHERE worker = ? ORDER BY row';

export function listLeases(db: Database, workerId: string): Lease[] {
  return db.all<Lease>(LEASES, workerId).map(({ taskId, fence, worker }) => ({ taskId, fence, worker }));
}

function findWorker(db: Database, workerId: string): WorkerRow | undefined {
  return db.get<WorkerRow>(`SELECT ${COLUMNS} FROM worker WHERE id = ?`, workerId);
}

function toValues(
  { workerId, identity, kind, build, leaseMs }: NewWorker,
  { state, until, process }: Pick<WorkerInfo, 'state' | 'until'> & { readonly process: ProcessRef | undefined },
): SqliteValue[] {
  const place = process ? [process.host, process.pid, process.startTime] : [null, null, null];
  return [workerId, identity, kind, state, build.id, build.at, ...place, until, leaseMs];
}

function toWorkerInfo(row: WorkerRow): WorkerInfo {
  const { identity, kind, state, until, host, pid, start_time: startTime } = row;
  const build = { id: row.build_id, at: row.build_at };
  const lease = row.lease_ms === null ? {} : { leaseMs: row.lease_ms };
  const info = { workerId: row.id, identity, kind, state, build, until, ...lease };
  if (host === null || pid === null || startTime === null) return info;
  const ref = { host, pid, startTime };
  // The columns hold the starter until the worker has registered.
  return state === 'starting' ? { ...info, starter: ref } : { ...info, process: ref };
}
