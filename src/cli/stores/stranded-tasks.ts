import { findStranded, type Stranded } from '../../engine/program/stranded.ts';
import type { Store } from '../../store/contract.ts';
import type { Task } from '../../task/record.ts';

/** The stranded tasks of the whole store: no worker can come for them. */
export async function readStranded(store: Store): Promise<Stranded[]> {
  const [programs, workers] = await Promise.all([store.programs.list(), store.workers.list()]);
  return findStranded({ programs, workers, now: store.time().now });
}

/** The group of stranded tasks that a task belongs to, if it is stranded. */
export function findGroup(task: Task, stranded: readonly Stranded[]): Stranded | undefined {
  const isWaiting = task.worker === undefined && (task.status === 'queued' || task.status === 'input_required');
  if (!isWaiting) return undefined;
  return stranded.find(({ identity, tool }) => identity === task.identity && tool === task.tool);
}
