/** What an app's task store does not lose to those who write it at the same time. */
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { onCrashPoint } from '../../../src/crash-point.ts';
import { readTaskStore } from '../../../src/dialects/ui-prompts/task-store/task-store.ts';
import { writeStoredTask } from '../../../src/dialects/ui-prompts/task-store/write-stored-task.ts';

async function makePath(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'holdfast-store-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  return join(dir, 'state.json');
}

it('[UIP-37] a task that has ended does not run again because somebody tells it late', async () => {
  const path = await makePath();
  await writeStoredTask(path, { id: 'a', status: 'failed', resultText: 'no ink' });
  await writeStoredTask(path, { id: 'a', status: 'running', startedAt: '2030-01-01T00:00:00.000Z' });
  await writeStoredTask(path, { id: 'a', status: 'queued' });
  expect(await readTaskStore(path)).toMatchObject([{ status: 'failed', resultText: 'no ink', startedAt: '' }]);
});

it.each(['', '{"windows":[', '[]', 'null', '7'])(
  '[UIP-29] a file that is no object is left as it is: %j',
  async (text) => {
    const path = await makePath();
    await writeFile(path, text);
    const writing = writeStoredTask(path, { id: 'a', status: 'running' });
    await expect(writing).rejects.toMatchObject({ code: 'STORE_CORRUPT', message: expect.stringContaining(path) });
    expect(await readFile(path, 'utf8')).toBe(text);
    expect(await readdir(join(path, '..')), 'neither a lock nor half a file stays').toEqual(['state.json']);
  },
);

it('[SEC-123] a directory that is not there is made, for its owner alone', async () => {
  const path = join(await makePath(), '..', 'ui_apps', 'data', 'state.json');
  await writeStoredTask(path, { id: 'a', status: 'running' });
  expect(await readTaskStore(path)).toMatchObject([{ id: 'a', status: 'running' }]);
  expect((await stat(join(path, '..'))).mode & 0o777).toBe(0o700);
});

it('[SEC-125] what many tell at once is written together', async () => {
  const path = await makePath();
  let writes = 0;
  onCrashPoint((name) => {
    if (name === 'prompt-task:before') writes += 1;
  });
  onTestFinished(() => onCrashPoint(undefined));
  const ids = Array.from({ length: 150 }, (_, index) => `t-${index}`);
  await Promise.all(ids.map((id) => writeStoredTask(path, { id, status: 'queued' })));
  await Promise.all(ids.map((id) => writeStoredTask(path, { id, status: 'running' })));
  expect((await readTaskStore(path)).map(({ id, status }) => `${id} ${status}`)).toEqual(
    ids.map((id) => `${id} running`),
  );
  expect(writes).toBeLessThan(10);
});

it('[SEC-125] those who told something that could not be written hear so, and the next are not held up', async () => {
  const path = await makePath();
  await writeFile(path, '[]');
  const told = await Promise.allSettled(['a', 'b', 'c'].map((id) => writeStoredTask(path, { id, status: 'queued' })));
  expect(told.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  await rm(path);
  await writeStoredTask(path, { id: 'd', status: 'queued' });
  expect(await readTaskStore(path)).toMatchObject([{ id: 'd' }]);
});
