/** Reads the tasks of a store for the judge, from the store's own list, opened read-only. */

import type { DeliveredOutcome } from '../../apps/chaos/journal.ts';
import type { Store } from '../../store/contract.ts';
import type { TaskStore } from '../../store/contracts/task-contract.ts';
import { openSqliteStore } from '../../store/sqlite/sqlite-store.ts';
import type { Outcome } from '../../task/outcome.ts';
import type { Task } from '../../task/record.ts';
import { isTerminal } from '../../task/status.ts';
import type { StoredTask } from './evidence.ts';

const PAGE = 500;
const MAX_EVENTS = 100_000;

/** A database schema used by one run only. */
export interface ChaosDatabase {
  readonly url: string;
  readonly schema: string;
}

export async function readStoredTasks(place: string | ChaosDatabase): Promise<StoredTask[]> {
  const store = await openForReading(place);
  try {
    return await listStoredTasks(store.tasks);
  } finally {
    await store.close();
  }
}

async function openForReading(place: string | ChaosDatabase): Promise<Store> {
  if (typeof place === 'string') return openSqliteStore({ path: place, readOnly: true });
  const { openPostgresStore } = await import('../../store/postgres/postgres-store.ts');
  return openPostgresStore({ ...place, migrate: false });
}

/** Removes a run's schema from a database that remains in use. */
export async function removeSchema(database: ChaosDatabase): Promise<void> {
  const { openConnection } = await import('../../store/postgres/connection.ts');
  const connection = await openConnection(database);
  try {
    await connection.read(`DROP SCHEMA IF EXISTS ${database.schema} CASCADE`);
  } finally {
    await connection.close();
  }
}

/** Lists the tasks of an open store. */
export async function listStoredTasks(tasks: TaskStore): Promise<StoredTask[]> {
  const found: StoredTask[] = [];
  let cursor: string | undefined;
  do {
    const page = await tasks.list({ limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
    for (const task of page.tasks) found.push(await toStored(tasks, task));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return found;
}

async function toStored(tasks: TaskStore, task: Task): Promise<StoredTask> {
  const { taskId, status, idempotent, attempt, maxAttempts, outcome } = task;
  const events = await tasks.events(taskId, 0, MAX_EVENTS);
  return {
    taskId,
    callId: toCallId(task),
    status,
    isEnded: isTerminal(status),
    idempotent,
    attempts: attempt,
    maxAttempts,
    ...(outcome === undefined ? {} : { told: toOutcome(outcome) }),
    retries: events.filter((event) => event.type === 'requeued' && event.reason === 'retry').length,
    endings: events.filter(({ type }) => type === 'ended').length,
  };
}

/** For tools of a server the arguments are nested in `input`; for those of an engine they are not. */
function toCallId({ args, taskId }: Task): string {
  const given = args as { readonly callId?: unknown; readonly input?: { readonly callId?: unknown } } | null;
  return String(given?.callId ?? given?.input?.callId ?? taskId);
}

function toOutcome(outcome: Outcome): DeliveredOutcome {
  switch (outcome.kind) {
    case 'result':
      // A server's tool that failed has a result with `isError`.
      return { kind: isErrorResult(outcome.value) ? 'error' : 'result', text: JSON.stringify(outcome.value) };
    case 'error':
      return { kind: 'error', text: outcome.error.message, code: outcome.error.code };
    case 'cancelled':
    case 'interrupted':
    case 'expired':
      return { kind: outcome.kind, text: outcome.reason };
  }
}

function isErrorResult(value: unknown): boolean {
  return value !== null && typeof value === 'object' && 'isError' in value && value.isError === true;
}
