import { expect, it } from 'vitest';
import { openDriver } from '../../../src/sqlite/driver.ts';
import type { Change } from '../../../src/store/contract.ts';
import { until } from '../../../src/testing/until.ts';
import { finish, StoreScratch, submit, WORKER } from './scratch.ts';

const scratch = new StoreScratch();

it('[ROOMS-363] changes of this process are told in the order of their commits, among those of others', async () => {
  const [here, there] = [await scratch.open(), await scratch.open()];
  const seen: string[] = [];
  here.changes.subscribe((changes) => seen.push(...changes.map(({ taskId, type }) => `${taskId} ${type}`)));
  for (let round = 0; round < 5; round++) {
    await Promise.all([submit(here), finish(here), submit(there)]);
    await finish(there);
  }
  await until(() => seen.length === 30);
  const db = openDriver(scratch.path, { readOnly: true });
  const rows = db.prepare('SELECT id, type FROM event JOIN task ON task.row = event.task ORDER BY event.row').all();
  db.close();
  expect(seen).toEqual((rows as { id: string; type: string }[]).map(({ id, type }) => `${id} ${type}`));
});

it('[ROOMS-363] a change that was rolled back is not told', async () => {
  const store = await scratch.open();
  const seen: Change[] = [];
  store.changes.subscribe((changes) => seen.push(...changes));
  const first = await submit(store);
  // The second has the id of the first, and fails the transaction that it shares with the third.
  const [again, third] = await Promise.allSettled([submit(store, { taskId: first.taskId }), submit(store)]);
  expect(again.status).toBe('rejected');
  const { taskId } = third.status === 'fulfilled' ? third.value : first;
  expect(seen).toEqual([
    { taskId: first.taskId, type: 'submitted' },
    { taskId, type: 'submitted' },
  ]);
});

it('[ROOMS-364] a principal that is alone keeps its turn until there is another', async () => {
  const store = await scratch.open();
  await store.workers.register(WORKER);
  const claim = (max: number) =>
    store.tasks.claim({ worker: WORKER.workerId, identity: WORKER.identity, free: { render: max }, max });
  const countTurns = () => {
    const db = openDriver(scratch.path, { readOnly: true });
    const { n } = db.prepare('SELECT count(*) AS n FROM turn').get() as { n: number };
    db.close();
    return n;
  };
  const turns: number[] = [];
  for (const principal of ['ada', 'ada', 'bob', 'eve']) {
    await submit(store, { principal });
    expect(await claim(8)).toHaveLength(1);
    turns.push(countTurns());
  }
  expect(turns).toEqual([1, 1, 0, 1]);
  expect(await claim(8)).toEqual([]);
});
