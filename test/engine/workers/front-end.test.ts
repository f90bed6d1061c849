/** Engines that only serve: others on the store run their tasks. */
import { createEngine, createMemoryStore } from 'holdfast';
import { until } from 'holdfast/testing';
import { expect, it, onTestFinished } from 'vitest';

const add = { idempotent: true, run: ({ a }: { a: number }) => a + 1 };

async function open(store: Awaited<ReturnType<typeof createMemoryStore>>, workers: 'none' | 'inline') {
  const engine = await createEngine({
    name: 'sums',
    identity: 'sums',
    store,
    workers,
    tools: { add },
    superviseMs: 20,
  });
  onTestFinished(() => engine.close());
  await engine.start();
  return engine;
}

it('[PG-210] an engine with workers: none takes tasks and runs none; another of its identity does', async () => {
  const store = createMemoryStore();
  const front = await open(store, 'none');
  const { task } = await front.submit('add', { a: 1 });
  // It looks after the store meanwhile: it has said that it serves.
  await until(async () => (await store.programs.list('sums')).some(({ servings }) => servings.length > 0));
  expect(await store.workers.list()).toEqual([]);
  expect((await front.get(task.taskId)).status).toBe('queued');
  await open(store, 'inline');
  expect(await front.outcome(task.taskId)).toMatchObject({ kind: 'result', value: 2 });
});

it('[PG-210] and any other word is refused', async () => {
  const wrong = createEngine({ name: 'sums', store: createMemoryStore(), workers: 'nobody' as never });
  await expect(wrong).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', message: expect.stringContaining("'none'") });
});
