/** Observations of workers that send no heartbeat. */
import type { Database } from '../../../sqlite/database.ts';
import type { Silence, SilentLook } from '../../contracts/worker-contract.ts';
import { decideSilence, type SilenceRow, toSilence } from '../../decide-worker.ts';
import type { Transaction } from '../rows.ts';
import { appendEvents } from '../tasks/append.ts';
import { toWorkRow, WORK_COLUMNS } from '../tasks/task-row.ts';

const READ = 'SELECT worker, until, sign, silent_ms, looks, since, seen_by, stalled_ms FROM silence';
const SAVE = `INSERT INTO silence (worker, until, sign, silent_ms, looks, since, seen_by, stalled_ms)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (worker) DO UPDATE SET until = excluded.until, sign = excluded.sign, silent_ms = excluded.silent_ms,
    looks = excluded.looks, since = excluded.since, seen_by = excluded.seen_by, stalled_ms = excluded.stalled_ms`;
const IS_SILENT = 'SELECT 1 FROM worker WHERE id = ? AND until = ?';
const HELD_BY = `SELECT ${WORK_COLUMNS} FROM task WHERE worker = ? ORDER BY row`;
const NOTE = 'UPDATE task SET updated_at = ?, last_seq = ?, bytes = bytes + ? WHERE row = ?';

interface StoredSilence {
  readonly worker: string;
  readonly until: number;
  readonly sign: string | null;
  readonly silent_ms: number;
  readonly looks: number;
  readonly since: number;
  readonly seen_by: string;
  readonly stalled_ms: number | null;
}

/** All observations, by worker. Only workers that were found silent have a row. */
export function readSilences(db: Database): Map<string, SilenceRow> {
  return new Map(db.all<StoredSilence>(READ).map((row) => [row.worker, toRow(row)]));
}

export function observeSilence(tx: Transaction, look: SilentLook): Silence | undefined {
  const { db, now } = tx;
  const { workerId } = look;
  if (db.get(IS_SILENT, workerId, look.until) === undefined) return undefined;
  const stored = db.get<StoredSilence>(`${READ} WHERE worker = ?`, workerId);
  const { row, hasStalled } = decideSilence(stored && toRow(stored), look, now);
  const { until, sign = null, silentMs, looks, since, by, stalledMs = null } = row;
  // Written even when nothing is added: the observation only counts because the store could be written.
  db.run(SAVE, workerId, until, sign, silentMs, looks, since, by, stalledMs);
  if (hasStalled) noteStalled(tx, workerId, silentMs);
  return toSilence(row);
}

function noteStalled(tx: Transaction, worker: string, silentMs: number): void {
  for (const task of tx.db.arrays(HELD_BY, worker).map(toWorkRow)) {
    const { lastSeq, bytes } = appendEvents(tx, task, [{ type: 'stalled', worker, silentMs }]);
    tx.db.run(NOTE, tx.now, lastSeq, bytes, task.row);
  }
}

function toRow(stored: StoredSilence): SilenceRow {
  const { until, sign, silent_ms: silentMs, looks, since, seen_by: by, stalled_ms: stalledMs } = stored;
  const row = { until, silentMs, looks, since, by, ...(sign !== null && { sign }) };
  return stalledMs === null ? row : { ...row, stalledMs };
}
