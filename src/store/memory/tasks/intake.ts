/** The verbs that create tasks and find them. */
import type { Actor } from '../../../task/actor.ts';
import { toFingerprint } from '../../../task/json.ts';
import type { NewTask, Task } from '../../../task/record.ts';
import { isTerminal } from '../../../task/status.ts';
import type { CreateOptions, CreateResult, Rerun, Share, TaskFilter, TaskPage } from '../../contracts/task-contract.ts';
import { parseCursor, toCursor } from '../../cursor.ts';
import { decideCreate, isSameTakeover, toFirstEvents, toStartBy } from '../../decide.ts';
import { toEventBytes, toStepBytes } from '../../stored-bytes.ts';
import { toFrozen } from '../frozen.ts';
import { addHold, joinHold } from '../memory-holds.ts';
import type { MemoryState } from '../memory-state.ts';
import { type TaskRow, toNewBytes } from './task-row.ts';

export function create(state: MemoryState, newTask: NewTask, options: CreateOptions): CreateResult {
  const { tasks, now } = state;
  const { hold, fingerprints = [toFingerprint(newTask.args)] } = options;
  const { tool, alias, principal, identity } = newTask;
  const byKey = toNamesake(tasks.findByKey(newTask, newTask.idempotencyKey));
  const byAlias = alias === undefined ? undefined : toNamesake(tasks.find({ alias, principal, identity }));
  const decision = decideCreate({ tool, fingerprints }, { byKey, byAlias });
  if (decision.kind === 'conflict') return decision;
  const known = decision.kind === 'join' ? tasks.find(decision) : undefined;
  // A caller that gives a key decides with it which calls are equal, so the hold is not used.
  const canTake = !known && newTask.idempotencyKey === undefined;
  const taken = canTake ? hold && joinHold(state, identity, hold) : undefined;
  if (taken && options.by && !refuseBytes(state, newTask, { share: options.share, bytes: 0 })) {
    noteTakeover(state, taken, toFrozen(options.by));
  }
  if (known) return { kind: 'joined', task: known.task };
  if (taken) return { kind: 'joined', task: taken.task, tookOver: true };
  const wanted = toTask({ ...newTask, ...findQueue(state, newTask, options) }, now);
  const refusal = refuse(state, wanted, options);
  if (refusal) return refusal;
  const { task } = addTask(state, wanted, { fingerprint: fingerprints[0] ?? '', rerun: options.rerun });
  if (hold) addHold(state, task.taskId, hold);
  return { kind: 'created', task };
}

function addTask(
  { tasks }: MemoryState,
  wanted: Task,
  { fingerprint, rerun }: { readonly fingerprint: string; readonly rerun: Rerun | undefined },
): TaskRow {
  const row = tasks.add(wanted, fingerprint, toFrozen(toFirstEvents(wanted, rerun)));
  const kept = toFrozen(rerun?.steps ?? []);
  for (const { name, value } of kept) row.steps.set(name, value);
  tasks.grow(row, toStepBytes(kept));
  return row;
}

/** The first of the queue's names under which there is any task, else its own name. */
function findQueue(
  { tasks }: MemoryState,
  { identity, queue }: NewTask,
  { queueAliases = [] }: CreateOptions,
): Pick<NewTask, 'queue'> {
  if (queue === undefined) return {};
  return { queue: [queue, ...queueAliases].find((name) => tasks.serialQueues.hasAny(identity, name)) ?? queue };
}

/** Why there is no room for one more task; `undefined` when there is. */
function refuse(state: MemoryState, task: Task, { queueLimit, share }: CreateOptions): CreateResult | undefined {
  const { tasks } = state;
  const waiting = tasks.usage.waiting(task);
  if (share && waiting >= share.queued) return { kind: 'over-share', limit: 'queued', used: waiting };
  const queued = tasks.queued(task.identity);
  if (queued >= queueLimit) return { kind: 'full', queued };
  return refuseBytes(state, task, { share, bytes: toNewBytes(task) + toEventBytes(null) });
}

function refuseBytes(
  { tasks }: MemoryState,
  { principal }: Pick<Task, 'principal'>,
  { share, bytes }: { readonly share: Share | undefined; readonly bytes: number },
): CreateResult | undefined {
  const used = tasks.usage.bytes(principal);
  if (share === undefined || used + bytes <= share.storedBytes) return undefined;
  return { kind: 'over-share', limit: 'storedBytes', used };
}

function noteTakeover(state: MemoryState, row: TaskRow, by: Actor): void {
  const newest = row.events.at(-1);
  if (isTerminal(row.task.status) || (newest && isSameTakeover(newest, by))) return;
  state.tasks.change(row, {}, { at: state.now, events: [{ type: 'taken-over', by }], bytes: 0 });
}

export function list(state: MemoryState, filter: TaskFilter): TaskPage {
  const before = filter.cursor === undefined ? Number.POSITIVE_INFINITY : parseCursor(filter.cursor);
  const page: TaskRow[] = [];
  for (const row of state.tasks.newest.backwards((other) => other.row >= before)) {
    if (!passes(row.task, filter)) continue;
    page.push(row);
    if (page.length > filter.limit) break;
  }
  const tasks = page.slice(0, filter.limit).map((row) => row.task);
  const last = page[filter.limit - 1];
  return page.length > filter.limit && last ? { tasks, nextCursor: toCursor(last.row) } : { tasks };
}

function toNamesake(row: TaskRow | undefined) {
  return row && { taskId: row.task.taskId, tool: row.task.tool, fingerprint: row.fingerprint };
}

function toTask({ startWithinMs, ...newTask }: NewTask, now: number): Task {
  const startBy = toStartBy({ startWithinMs }, now);
  return toFrozen({
    ...newTask,
    ...(startBy !== undefined && { startBy }),
    status: 'queued',
    createdAt: now,
    updatedAt: now,
    runAt: now,
    attempt: 0,
    fence: 0,
    questions: [],
    lastSeq: 0,
  } satisfies Task);
}

function passes(task: Task, filter: TaskFilter): boolean {
  if (filter.principal !== undefined && task.principal !== filter.principal) return false;
  if (filter.identity !== undefined && task.identity !== filter.identity) return false;
  if (filter.tool !== undefined && task.tool !== filter.tool) return false;
  return filter.status === undefined || task.status === filter.status;
}
