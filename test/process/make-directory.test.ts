import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { makeDirectory } from '../../src/process/make-directory.ts';

it('makes every missing level for this user alone, however many make the same at once', async () => {
  const base = await mkdtemp(join(tmpdir(), 'holdfast-make-'));
  onTestFinished(() => rm(base, { recursive: true }));
  for (let round = 0; round < 100; round++) {
    const paths = ['a', 'b'].map((leaf) => join(base, String(round), 'prompts', leaf));
    await Promise.all([...paths, ...paths, ...paths, ...paths].map(makeDirectory));
  }
  expect((await stat(join(base, '99', 'prompts'))).mode & 0o777).toBe(0o700);
});

it('fails where a directory is there and takes no entries', async () => {
  await expect(makeDirectory('/proc/holdfast/deep')).rejects.toThrow();
});
