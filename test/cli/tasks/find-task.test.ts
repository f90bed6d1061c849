import { expect, it } from 'vitest';
import { findTask } from '../../../src/cli/stores/find-task.ts';
import { createTaskClient } from '../../../src/engine/task-client.ts';
import { createMemoryStore } from '../../../src/store/memory/memory-store.ts';
import { runHere } from '../run-here.ts';
import { openSeededStore } from './seeded-store.ts';

const TIME = '01k0000000';

async function openWith(...taskIds: string[]) {
  const store = createMemoryStore();
  const common = { tool: 't', args: {}, principal: 'ann', identity: 'i', ttlMs: null, pollIntervalMs: 1, deliver: [] };
  for (const taskId of taskIds) {
    await store.tasks.create({ ...common, taskId, idempotent: false, maxAttempts: 1 }, { queueLimit: 10_000 });
  }
  const access = createTaskClient(store);
  return async (ref: string) => (await findTask(access, ref)).taskId;
}

const one = `${TIME}aaaaaaaabbbbbbbbcccccccc00`;
const two = `${TIME}aaaaaaaadddddddddddddddd00`;
const three = `${TIME}xxxxxxxxaaaaaaaaaaaaaaaa00`;

it('finds a task by its id, whoever owns it', async () => {
  const find = await openWith(one, two);
  expect(await find(one)).toBe(one);
});

it('finds a task by the beginning of its id', async () => {
  const find = await openWith(one, two);
  expect(await find(one.slice(0, 19))).toBe(one);
});

it('finds a task by the beginning of the part after the time', async () => {
  const find = await openWith(one, two, three);
  expect(await find('xxxxxxxx')).toBe(three);
  expect(await find('aaaaaaaad')).toBe(two);
});

it('does not match in the middle', async () => {
  const find = await openWith(one, three);
  await expect(find('bbbbbbbb')).rejects.toMatchObject({ code: 'TASK_NOT_FOUND' });
});

it('takes a whole id as such even when another begins with it', async () => {
  const find = await openWith('01k00000', '01k00000more');
  expect(await find('01k00000')).toBe('01k00000');
});

it('[CLI-11] [FIRST-413] lists the candidates when there are several', async () => {
  const find = await openWith(one, two, three);
  await expect(find('aaaaaaaa')).rejects.toMatchObject({
    code: 'AMBIGUOUS_ID',
    message: `"aaaaaaaa" could be aaaaaaaad, aaaaaaaab; give more characters`,
    data: { candidates: [two, one] },
  });
  await expect(find(TIME)).rejects.toMatchObject({ data: { candidates: [three, two, one] } });
});

it('lists only a few of many candidates', async () => {
  const many = Array.from({ length: 9 }, (_, index) => `${TIME}aaaaaaaa${index}`);
  await expect((await openWith(...many))('aaaaaaaa')).rejects.toMatchObject({
    message: expect.stringMatching(/could be (\w+, ){4}\w+ and more; give more characters$/),
  });
});

it('[FIRST-413] takes four characters, and refuses fewer', async () => {
  const find = await openWith(one);
  expect(await find('aaaa')).toBe(one);
  await expect(find('aaa')).rejects.toMatchObject({
    code: 'TASK_NOT_FOUND',
    message: 'there is no task "aaa"; expected an id, or at least 4 characters from its beginning',
  });
});

it('looks beyond the first thousand tasks', async () => {
  const newer = Array.from({ length: 1000 }, (_, index) => `${TIME}yyyyyyyy${index}`);
  const find = await openWith(one, ...newer);
  expect(await find('aaaaaaaa')).toBe(one);
});

it('takes short references on the command line and ends with 2 when they are ambiguous', async () => {
  const seeded = await openSeededStore();
  try {
    const [first] = [await seeded.add({ taskId: one }), await seeded.add({ taskId: two })];
    const found = await runHere(['tasks', 'show', 'aaaaaaaab', '--store', seeded.path]);
    const ambiguous = await seeded.cli('show', 'aaaaaaaa');
    expect(found.stdout).toContain(first.taskId);
    expect(ambiguous).toEqual({
      code: 2,
      stdout: '',
      stderr: `holdfast: "aaaaaaaa" could be aaaaaaaad, aaaaaaaab; give more characters\n`,
    });
  } finally {
    await seeded.close();
  }
});
