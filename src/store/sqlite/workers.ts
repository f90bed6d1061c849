/** The worker registry. A lease is worker-level: one heartbeat keeps all tasks of a worker. */
import type { Database } from '../../sqlite/database.ts';
import type { SqliteValue } from '../../sqlite/driver.ts';
import { canRetire, decideReserve, toUntil } from '../decide-worker.ts';
import type {
  NewWorker,
  ProcessGroupRef,
  ProcessRef,
  ReserveResult,
  WorkerInfo,
  WorkerKind,
  WorkerState,
} from '../worker-contract.ts';
import { countQueued } from './queue-gauge.ts';
import type { Transaction } from './rows.ts';

const COLUMNS = 'id, identity, kind, state, build_id, build_at, host, pid, start_time, until';
const SAVE = `INSERT INTO worker (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET identity = excluded.identity, kind = excluded.kind, state = excluded.state,
    build_id = excluded.build_id, build_at = excluded.build_at, host = excluded.host, pid = excluded.pid,
    start_time = excluded.start_time, until = excluded.until`;
const RENEW = 'UPDATE worker SET until = ? WHERE id = ?';
const TRACK = `INSERT INTO process_group (worker, pid, host, start_time, task_id) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (worker, pid) DO UPDATE SET host = excluded.host, start_time = excluded.start_time,
    task_id = excluded.task_id`;

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
}

export function listWorkers(db: Database, identity?: string): WorkerInfo[] {
  const rows =
    identity === undefined
      ? db.all<WorkerRow>(`SELECT ${COLUMNS} FROM worker ORDER BY row`)
      : db.all<WorkerRow>(`SELECT ${COLUMNS} FROM worker WHERE identity = ? ORDER BY row`, identity);
  return rows.map(toWorkerInfo);
}

export function reserveWorker({ db, now }: Transaction, worker: NewWorker): ReserveResult {
  const { holder, drain } = decideReserve(listWorkers(db, worker.identity), worker.build);
  if (holder) return { kind: 'exists', worker: holder };
  const until = toUntil(now, worker.leaseMs);
  for (const { workerId } of drain) db.run(`UPDATE worker SET state = 'draining' WHERE id = ?`, workerId);
  db.run(SAVE, ...toValues(worker, { state: 'starting', until }));
  return { kind: 'reserved' };
}

export function registerWorker(
  { db, now }: Transaction,
  worker: NewWorker & { readonly process: ProcessRef },
): boolean {
  if (worker.kind === 'detached' && findWorker(db, worker.workerId)?.state !== 'starting') return false;
  const { process } = worker;
  db.run(SAVE, ...toValues(worker, { state: 'ready', until: toUntil(now, worker.leaseMs), process }));
  return true;
}

/** One heartbeat; also what the heartbeat thread runs on a connection of its own. */
export function renewWorker(
  { db, now }: Transaction,
  { workerId, leaseMs }: { readonly workerId: string; readonly leaseMs: number },
): WorkerState | undefined {
  const worker = findWorker(db, workerId);
  if (worker !== undefined) db.run(RENEW, toUntil(now, leaseMs, worker.until), workerId);
  return worker?.state;
}

export function retireWorker({ db }: Transaction, workerId: string, options: { readonly ifIdle: boolean }): boolean {
  const worker = findWorker(db, workerId);
  if (worker === undefined) return false;
  const leased = db.get('SELECT 1 FROM task WHERE worker = ? LIMIT 1', workerId) === undefined ? 0 : 1;
  const queued = options.ifIdle ? countQueued(db, worker.identity) : 0;
  if (!canRetire({ state: worker.state, leased, queued }, options)) return false;
  removeWorker(db, workerId);
  return true;
}

export function removeWorker(db: Database, workerId: string): void {
  db.run('DELETE FROM worker WHERE id = ?', workerId);
  db.run('DELETE FROM process_group WHERE worker = ?', workerId);
}

export function trackGroup({ db }: Transaction, group: ProcessGroupRef): void {
  db.run(TRACK, group.workerId, group.pid, group.host, group.startTime, group.taskId);
}

export function untrackGroup({ db }: Transaction, workerId: string, pid: number): void {
  db.run('DELETE FROM process_group WHERE worker = ? AND pid = ?', workerId, pid);
}

export function listGroups(db: Database, workerId: string): ProcessGroupRef[] {
  return db
    .all<ProcessGroupRef>(
      `SELECT worker AS workerId, task_id AS taskId, host, pid, start_time AS startTime
         FROM process_group WHERE worker = ? ORDER BY pid`,
      workerId,
    )
    .map((row) => ({ ...row }));
}

function findWorker(db: Database, workerId: string): WorkerRow | undefined {
  return db.get<WorkerRow>(`SELECT ${COLUMNS} FROM worker WHERE id = ?`, workerId);
}

function toValues(
  { workerId, identity, kind, build }: NewWorker,
  { state, until, process }: Pick<WorkerInfo, 'state' | 'until' | 'process'>,
): SqliteValue[] {
  const place = process ? [process.host, process.pid, process.startTime] : [null, null, null];
  return [workerId, identity, kind, state, build.id, build.at, ...place, until];
}

function toWorkerInfo(row: WorkerRow): WorkerInfo {
  const { identity, kind, state, until, host, pid, start_time: startTime } = row;
  const info = { workerId: row.id, identity, kind, state, build: { id: row.build_id, at: row.build_at }, until };
  return host === null || pid === null || startTime === null ? info : { ...info, process: { host, pid, startTime } };
}
