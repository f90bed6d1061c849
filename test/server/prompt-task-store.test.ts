/** What an app's task store does not lose to those who write it at the same time. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readTaskStore, writeStoredTask } from '../../src/dialects/ui-prompts/task-store.ts';

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
