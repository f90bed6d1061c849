/** Work in which every loss and every repetition shows. */
import { expect } from 'vitest';
import type { Store } from '../../../src/store/contract.ts';
import { submit } from '../sqlite/scratch.ts';

/** Submits a task, claims whatever is there, and ends it. */
export async function cycle(store: Store, place: number): Promise<void> {
  await submit(store, { args: place });
  await workOff(store);
}

/** Claims one task of those there are, and ends it; says whether there was one. */
export async function workOff(store: Store): Promise<boolean> {
  const claimed = await store.tasks.claim({ worker: 'w1', identity: 'reports', free: { render: 1 }, max: 1 });
  for (const { task } of claimed) {
    const lease = { taskId: task.taskId, fence: task.fence, worker: 'w1' };
    expect(await store.tasks.settle(lease, { outcome: { kind: 'result', value: task.args } })).toBe(true);
  }
  return claimed.length > 0;
}

/** As many lanes at once as given, until all cycles are done. */
export async function cycles(store: Store, { many, lanes }: { readonly many: number; readonly lanes: number }) {
  let next = 0;
  const lane = async () => {
    while (next < many) await cycle(store, next++);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

/** Every task was written once, run once and ended once. */
export async function expectOnceEach(store: Store, many: number): Promise<void> {
  const { tasks } = await store.tasks.list({ limit: 10_000 });
  expect(tasks.map(({ args }) => args).sort((a, b) => Number(a) - Number(b))).toEqual(
    Array.from({ length: many }, (_, place) => place),
  );
  for (const { taskId } of tasks) {
    const types = (await store.tasks.events(taskId, 0, 100)).map(({ type }) => type);
    expect(types).toEqual(['submitted', 'claimed', 'ended']);
  }
}
