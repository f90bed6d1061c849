import type { ClaimRequest } from '../../contracts/task-contract.ts';
import { type Contender, type Runnable, takeTurns } from '../../take-turns.ts';
import type { Transaction } from '../transaction.ts';
import type { RecordRow, TaskRow } from './task-row.ts';

/**
 * Claims tasks that this transaction is about to write, when no older task is due, which saves writing and reading them
 * first. Returns `undefined` when the result depends on who was served last, which only the database knows.
 */
export function takeUnsent(tx: Transaction, request: ClaimRequest): RecordRow[] | undefined {
  const due = tx.unsent.filter((row) => isDue(row, request, tx.now));
  const contenders = toContenders(due);
  const turns = takeTurns(contenders, request);
  const isFair = turns.length === due.length || contenders.length === 1;
  return isFair ? turns.map(({ task }) => task.record) : undefined;
}

interface Unsent extends Runnable {
  readonly record: RecordRow;
}

function isDue(
  { status, behind, identity, tool, run_at, start_by }: TaskRow,
  request: ClaimRequest,
  now: number,
): boolean {
  if (status !== 'queued' || behind || identity !== request.identity) return false;
  return (request.free[tool] ?? 0) > 0 && run_at <= now && (start_by === null || start_by > now);
}

function toContenders(rows: readonly TaskRow[]): Contender<Unsent>[] {
  const byPrincipal = new Map<string, Map<string, Unsent[]>>();
  for (const row of rows) {
    const queues = byPrincipal.get(row.principal) ?? new Map<string, Unsent[]>();
    byPrincipal.set(row.principal, queues);
    const record = Object.assign(row, { asked: null });
    const one = { tool: row.tool, row: row.row, runAt: row.run_at, losses: row.losses, record };
    queues.set(row.tool, [...(queues.get(row.tool) ?? []), one]);
  }
  return [...byPrincipal].map(([principal, queues]) => ({ principal, queues: [...queues].map(toQueue) }));
}

function toQueue([tool, due]: [string, Unsent[]]) {
  return { tool, first: () => due[0], shift: () => void due.shift() };
}
