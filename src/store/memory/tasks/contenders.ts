import { compareBytes } from '../../compare-bytes.ts';
import type { ClaimRequest } from '../../contracts/task-contract.ts';
import { isLate } from '../../decide.ts';
import { type Contender, isLimited, type Runnable, type RunnableQueue } from '../../take-turns.ts';
import type { MemoryState } from '../memory-state.ts';
import type { TaskRow } from './task-row.ts';
import type { TaskQueue } from './task-table.ts';

/** A queued task that is due, with its row. */
interface DueTask extends Runnable {
  readonly entry: TaskRow;
}

/** Principals with something queued, longest unserved first. */
export function findContenders(state: MemoryState, request: ClaimRequest): Contender<DueTask>[] {
  const { identity, free, max } = request;
  const { tasks, now } = state;
  const byPrincipal = new Map<string, RunnableQueue<DueTask>[]>();
  for (const queue of tasks.queues(identity)) {
    const slots = Math.min(max, Object.hasOwn(free, queue.tool) ? (free[queue.tool] ?? 0) : 0);
    const mine = byPrincipal.get(queue.principal) ?? [];
    byPrincipal.set(queue.principal, [...mine, toRunnableQueue(queue, { now, slots, request })]);
  }
  const served = (principal: string) => tasks.usage.served({ identity, principal });
  return [...byPrincipal]
    .map(([principal, queues]) => ({ principal, queues }))
    .sort((a, b) => served(a.principal) - served(b.principal) || compareBytes(a.principal, b.principal));
}

function toRunnableQueue(
  { tool, rows }: TaskQueue,
  { now, slots, request }: { readonly now: number; readonly slots: number; readonly request: ClaimRequest },
): RunnableQueue<DueTask> {
  const ready: DueTask[] = [];
  let suspectsLeft = request.suspects?.max ?? Number.POSITIVE_INFINITY;
  for (const entry of rows) {
    const { runAt, losses = 0 } = entry.task;
    if (ready.length >= slots || runAt > now) break;
    if (isLate(entry.task, now)) continue;
    if (isLimited({ losses }, request) && suspectsLeft-- <= 0) continue;
    ready.push({ tool, runAt, row: entry.row, losses, entry });
  }
  return { tool, first: () => ready[0], shift: () => void ready.shift() };
}
