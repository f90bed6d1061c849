import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openScene } from './open-scene.ts';

const FILES = { 'a.txt': 'one', 'b.txt': 'two', 'sub/c.txt': 'three' };

/** How many threads were started since the last time it was asked. */
function countThreads(): () => number {
  let started = 0;
  const onThread = () => {
    started += 1;
  };
  subscribe('worker_threads', onThread);
  onTestFinished(() => void unsubscribe('worker_threads', onThread));
  return () => {
    const count = started;
    started = 0;
    return count;
  };
}

describe('a sync of a known tree', () => {
  it('[ROOMS-320] starts the one thread that walks, and one that hashes only for what changed', async () => {
    const { counts, at } = await openScene(FILES);
    await counts();
    const threads = countThreads();
    expect(await counts()).toMatchObject({ files_unchanged: 3, files_hashed: 0 });
    expect(threads()).toBe(1);
    await writeFile(at('b.txt'), 'owt');
    expect(await counts()).toMatchObject({ files_unchanged: 2, files_hashed: 1, files_updated: 1 });
    expect(threads()).toBe(2);
  });

  it('[ROOMS-320] hashes a file again whose time alone has changed, and all of them when it is told to', async () => {
    const { counts, at } = await openScene(FILES);
    await counts();
    await utimes(at('a.txt'), 1, 1);
    expect(await counts()).toMatchObject({ files_hashed: 1, files_updated: 1, files_unchanged: 2 });
    expect(await counts({ rehash: true })).toMatchObject({ files_hashed: 3, files_updated: 0, files_unchanged: 3 });
  });

  it('[ROOMS-320] forgets a file that became a link, and takes up one that is new', async () => {
    const { counts, rows, at } = await openScene(FILES);
    await counts();
    await rm(at('a.txt'));
    await symlink(at('b.txt'), at('a.txt'));
    await writeFile(at('sub/new.txt'), 'new');
    expect(await counts()).toMatchObject({ files_hashed: 1, files_removed: 1, files_unchanged: 2 });
    expect(rows().map(({ path }) => path)).toEqual([at('b.txt'), at('sub/c.txt'), at('sub/new.txt')]);
  });
});
