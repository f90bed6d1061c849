import { afterEach, beforeEach, expect, it } from 'vitest';
import { openSeededStore, type SeededStore } from './seeded-store.ts';

let seeded: SeededStore;

beforeEach(async () => {
  seeded = await openSeededStore();
});

afterEach(() => seeded.close());

it('[CLI-05] cancels a task of any principal, with a reason', async () => {
  const { taskId } = await seeded.add({ principal: 'ann' });
  expect(await seeded.cli('cancel', taskId, '--reason', 'printer on fire')).toEqual({
    code: 0,
    stdout: `cancelled ${taskId}\n`,
    stderr: '',
  });
  expect(await seeded.get(taskId)).toMatchObject({
    status: 'cancelled',
    outcome: { kind: 'cancelled', reason: 'printer on fire' },
  });
});

it('gives a reason of its own', async () => {
  const { taskId } = await seeded.add();
  const { stdout } = await seeded.here('cancel', taskId, '--json');
  expect(JSON.parse(stdout)).toEqual({ cancelled: true, task: await seeded.get(taskId) });
  expect((await seeded.get(taskId)).outcome).toEqual({ kind: 'cancelled', reason: 'cancelled by the operator' });
});

it('leaves a task alone that had ended before, and says so', async () => {
  const { taskId } = await seeded.add();
  const { fence } = await seeded.claim('render');
  await seeded.store.tasks.settle({ taskId, fence }, { outcome: { kind: 'result', value: 1 } });
  const [human, json] = [await seeded.here('cancel', taskId), await seeded.here('cancel', taskId, '--json')];
  expect(human).toMatchObject({ code: 0, stdout: `nothing to cancel: ${taskId} had ended as completed\n` });
  expect(JSON.parse(json.stdout)).toMatchObject({ cancelled: false, task: { status: 'completed' } });
});
