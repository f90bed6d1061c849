import { join } from 'node:path';
import { openSqliteStore, type Store } from 'holdfast';
import { until } from 'holdfast/testing';
import type { Desk } from './open-desk.ts';

/**
 * Waits for a state of the reader's server `reports`.
 *
 * It is looked for in the store and not by the command that a reader would type: a command each time costs more than the page.
 */
async function untilReports(desk: Desk, probe: (store: Store) => Promise<boolean>, what: string): Promise<void> {
  const path = join(desk.env.HOME ?? '', '.local/state/holdfast/reports/tasks.db');
  await until(() => look(path, probe), { timeoutMs: 60_000, what });
}

async function look(path: string, probe: (store: Store) => Promise<boolean>): Promise<boolean> {
  const store = await openSqliteStore({ path, create: false });
  try {
    return await probe(store);
  } finally {
    await store.close();
  }
}

/** Waits until its workers have ended, so that nothing of the desk is in use any more. */
export async function untilQuiet(desk: Desk): Promise<void> {
  await untilReports(desk, async (store) => (await store.workers.list()).length === 0, 'the workers to end');
}

/** Waits until its worker has told how far it is. */
export async function untilUnderWay(desk: Desk): Promise<void> {
  const isUnderWay = async (store: Store) =>
    (await store.tasks.list({ limit: 10 })).tasks.some(
      ({ status, progress }) => status === 'working' && progress !== undefined,
    );
  await untilReports(desk, isUnderWay, 'a worker that is under way');
}

/** Waits until it has acknowledged a call of a tool. */
export async function untilCalled(desk: Desk, tool: string): Promise<void> {
  const isCalled = async (store: Store) =>
    (await store.tasks.list({ limit: 10 })).tasks.some((task) => task.tool === tool);
  await untilReports(desk, isCalled, `a call of ${tool}`);
}
