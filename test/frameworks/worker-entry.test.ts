import { createServer } from 'holdfast';
import { expect, it } from 'vitest';
import { isEntry } from '../../src/engine/program/worker-entry.ts';

it('[FIRST-210] a workerEntry that is no file is refused at start, by its value', async () => {
  const server = createServer({ name: 'test', version: '1.0.0', workerEntry: 'no-such-worker.js' });
  server.tool('work', { run: () => 'done' });
  await expect(server.start()).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    message: 'workerEntry is "no-such-worker.js"; expected the path or the file URL of a program',
  });
});

it('[FIRST-210] names a file by its path, from the working directory too, or by its URL', () => {
  expect(['package.json', import.meta.filename, import.meta.url, new URL(import.meta.url)].map(isEntry)).toEqual(
    Array(4).fill(true),
  );
  expect(['test', '', 'https://example.com/worker.js', new URL('https://example.com'), 7].map(isEntry)).toEqual(
    Array(5).fill(false),
  );
});
