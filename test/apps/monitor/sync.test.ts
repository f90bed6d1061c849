import { createHash } from 'node:crypto';
import { mkdir, rename, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { hashByHand, openScene, texts, untilOpen } from './open-scene.ts';

const FILES = { 'a.txt': 'one', 'b.txt': 'two', 'sub/c.txt': 'three', 'sub/deep/d.txt': '' };
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('a first sync', () => {
  it('[MON-06] records path, size, time, hash and priority of every file', async () => {
    const { sync, rows, tree, configure, at, monitor } = await openScene(FILES);
    await configure({ priority: { dirs: { [tree]: 8 }, weights: { depth_multiplier: 0.5 } } });
    expect(await sync()).toEqual({
      success: true,
      data: {
        files_processed: 4,
        files_skipped: 0,
        files_updated: 4,
        files_hashed: 4,
        files_unchanged: 0,
        files_excluded: 0,
        files_unreadable: 0,
        directories_unreadable: 0,
        files_removed: 0,
        duration_seconds: expect.any(Number),
      },
      messages: [{ type: 'success', text: 'Sync completed successfully' }],
    });
    expect(rows()).toMatchObject([
      { path: at('a.txt'), bytes: 3, checksum: sha256('one'), priority: 8 },
      { path: at('b.txt'), bytes: 3, checksum: sha256('two'), priority: 8 },
      { path: at('sub/c.txt'), bytes: 5, checksum: sha256('three'), priority: 4 },
      { path: at('sub/deep/d.txt'), bytes: 0, checksum: sha256(''), priority: 2 },
    ]);
    expect(new Map(rows().map(({ path, checksum }) => [path, checksum]))).toEqual(await hashByHand(tree));
    expect(monitor.status()).toMatchObject({
      tracked_files: 4,
      last_sync: { path: tree, outcome: 'done' },
      issues: [],
    });
  });

  it('[MON-06] stays in its directory unless it is recursive', async () => {
    const { counts, rows, at } = await openScene(FILES);
    expect(await counts({ recursive: false })).toMatchObject({ files_processed: 2, files_updated: 2 });
    expect(rows().map(({ path }) => path)).toEqual([at('a.txt'), at('b.txt')]);
  });

  it('[MON-06] takes a single file, a file: URL and a path with detours', async () => {
    const { monitor, rows, at } = await openScene(FILES);
    await monitor.sync({ path: at('sub/c.txt') });
    await monitor.sync({ path: pathToFileURL(at('b.txt')).href });
    await monitor.sync({ path: `${at('sub')}/../a.txt` });
    expect(rows().map(({ path }) => path)).toEqual([at('a.txt'), at('b.txt'), at('sub/c.txt')]);
  });

  it('hashes a file of many blocks as other programs do', async () => {
    const { counts, rows, tree, write } = await openScene();
    await write({ 'large.bin': 'x'.repeat(262_144 * 3 + 1), 'exact.bin': 'y'.repeat(262_144) });
    await counts();
    expect(new Map(rows().map(({ path, checksum }) => [path, checksum]))).toEqual(await hashByHand(tree));
  });
});

describe('a later sync', () => {
  it('[MON-07] hashes nothing that has the same size and time, unless it is told to', async () => {
    const { counts } = await openScene(FILES);
    await counts();
    const unchanged = { files_processed: 4, files_updated: 0, files_skipped: 4, files_unchanged: 4 };
    expect(await counts()).toMatchObject({ ...unchanged, files_hashed: 0 });
    expect(await counts({ rehash: true })).toMatchObject({ ...unchanged, files_hashed: 4 });
  });

  it('[MON-07] finds a file with another size or another time', async () => {
    const { counts, write, at, rows } = await openScene(FILES);
    await counts();
    await write({ 'a.txt': 'longer' });
    await utimes(at('b.txt'), 1, 1);
    expect(await counts()).toMatchObject({ files_hashed: 2, files_updated: 2, files_unchanged: 2 });
    expect(rows()[0]).toMatchObject({ path: at('a.txt'), checksum: sha256('longer') });
  });

  it('[MON-07] finds with rehash what size and time hide', async () => {
    const { counts, write, at, rows } = await openScene(FILES);
    await utimes(at('a.txt'), 1, 1);
    await counts();
    await write({ 'a.txt': 'eno' });
    await utimes(at('a.txt'), 1, 1);
    expect(await counts()).toMatchObject({ files_updated: 0 });
    expect(await counts({ rehash: true })).toMatchObject({ files_updated: 1 });
    expect(rows()[0]).toMatchObject({ checksum: sha256('eno') });
  });

  it('[MON-08] forgets files and directories that are gone, or are something else now', async () => {
    const { counts, rows, at, write } = await openScene({ ...FILES, 'x/1': '1', 'x/y/2': '2', f: 'f', 'g/1': '1' });
    await counts();
    await rm(at('a.txt'));
    await rm(at('x'), { recursive: true });
    await rm(at('f'));
    await mkdir(at('f'));
    await rm(at('g'), { recursive: true });
    await write({ g: 'a file now' });
    expect(await counts()).toMatchObject({ files_removed: 5, files_updated: 1, files_unchanged: 3 });
    expect(rows().map(({ path }) => path)).toEqual(
      ['b.txt', 'g', 'sub/c.txt', 'sub/deep/d.txt'].map((name) => at(name)),
    );
  });

  it('[MON-08] a missing path removes its record, and those of everything that was in it', async () => {
    const { monitor, counts, rows, at } = await openScene(FILES);
    await counts();
    await rm(at('a.txt'));
    const file = await monitor.sync({ path: at('a.txt') });
    expect(file).toMatchObject({ success: true, data: { files_processed: 0, files_removed: 1 } });
    expect(texts(file, 'warning')).toEqual([`${at('a.txt')}: does not exist any more`]);
    await rm(at('sub'), { recursive: true });
    expect(await monitor.sync({ path: at('sub') })).toMatchObject({ success: true, data: { files_removed: 2 } });
    expect(rows().map(({ path }) => path)).toEqual([at('b.txt')]);
  });

  it('[MON-08] follows a directory that was moved', async () => {
    const { counts, rows, at } = await openScene(FILES);
    await counts();
    await rename(at('sub'), at('moved'));
    expect(await counts()).toMatchObject({ files_hashed: 2, files_removed: 2 });
    expect(rows().map(({ path }) => path)).toContain(at('moved/deep/d.txt'));
  });
});

describe('the config of a sync', () => {
  it('[MON-09] skips excluded files without hashing them, and drops what was known of them', async () => {
    const { counts, configure, rows, at } = await openScene(FILES);
    await counts();
    await configure({ filter: { exclude_dirnames: ['sub'] } });
    const skipped = { files_processed: 4, files_skipped: 4, files_excluded: 2, files_unchanged: 2, files_hashed: 0 };
    expect(await counts()).toMatchObject({ ...skipped, files_removed: 2 });
    expect(await counts()).toMatchObject({ ...skipped, files_removed: 0 });
    expect(rows().map(({ path }) => path)).toEqual([at('a.txt'), at('b.txt')]);
  });

  it('[MON-10] keeps nothing below the minimum priority', async () => {
    const { counts, configure, rows, tree, at } = await openScene(FILES);
    const priority = { dirs: { [tree]: 8 }, weights: { depth_multiplier: 0.5 } };
    await configure({ priority });
    await counts();
    await configure({ priority, min_priority: 4 });
    expect(await counts()).toMatchObject({ files_excluded: 1, files_removed: 1, files_unchanged: 3 });
    await configure({ priority, min_priority: 8 });
    // The directory of the third is not looked at; its record goes all the same.
    expect(await counts({ recursive: false })).toMatchObject({ files_processed: 2, files_removed: 1 });
    expect(rows().map(({ path }) => path)).toEqual([at('a.txt'), at('b.txt')]);
  });

  it('[MON-10] writes a new priority without hashing', async () => {
    const { counts, configure, rows, tree } = await openScene(FILES);
    await counts();
    await configure({ priority: { dirs: { [tree]: 3 } } });
    expect(await counts()).toMatchObject({ files_updated: 4, files_hashed: 0 });
    expect(rows().map(({ priority }) => priority)).toEqual([3, 3, 3, 3]);
  });

  it('[MON-11] keeps at most the maximum of documents, those that matter most', async () => {
    const { counts, configure, rows, tree, at, write } = await openScene(FILES);
    const priority = { dirs: { [tree]: 8 }, weights: { depth_multiplier: 0.5 } };
    await configure({ priority, max_documents: 3 });
    expect(await counts()).toMatchObject({ files_processed: 4 });
    const kept = ['a.txt', 'b.txt', 'sub/c.txt'].map((name) => at(name));
    expect(rows().map(({ path }) => path)).toEqual(kept);
    // What found no room is not hashed again and again.
    expect(await counts()).toMatchObject({ files_hashed: 0, files_excluded: 1, files_unchanged: 3 });
    await write({ 'e.txt': 'matters more' });
    expect(await counts()).toMatchObject({ files_hashed: 1, files_removed: 1 });
    expect(rows().map(({ path }) => path)).toEqual(['a.txt', 'b.txt', 'e.txt'].map((name) => at(name)));
  });

  it("[MON-09] never looks at the monitor's own files", async () => {
    const { monitor, folder, rows } = await openScene({ 'a.txt': 'one' });
    await monitor.addFilter('exclude_globs', 'nothing');
    await monitor.sync({ path: folder, recursive: true });
    expect(rows().filter(({ path }) => path.includes('/state/'))).toEqual([]);
  });
});

describe('progress', () => {
  it('[MON-12] counts files against all of them, batch by batch, and never falls', async () => {
    const { sync, write } = await openScene();
    await write(Object.fromEntries(Array.from({ length: 700 }, (_, at) => [`${at % 3}/${at}.txt`, String(at)])));
    const seen: { value: number; message: string }[] = [];
    await sync({ onProgress: (progress: { value: number; message: string }) => void seen.push(progress) });
    expect(seen.length).toBeGreaterThanOrEqual(3);
    for (const { message } of seen) expect(message).toMatch(/^Processing \d+ of 700 files\.\.\.$/);
    expect(seen.at(-1)).toMatchObject({ value: 1, message: 'Processing 700 of 700 files...' });
    expect(seen.map(({ value }) => value)).toEqual(seen.map(({ value }) => value).toSorted((a, b) => a - b));
  });
});

describe('a sync that is cancelled', () => {
  it('[MON-14] leaves whole records, and the next one hashes only the rest', async () => {
    const { sync, counts, rows, write, tree, monitor } = await openScene();
    await write(Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [`${at % 50}/${at}.txt`, String(at)])));
    const cancelling = new AbortController();
    const reason = new Error('enough');
    const onProgress = () => cancelling.abort(reason);
    await expect(sync({ signal: cancelling.signal, onProgress })).rejects.toBe(reason);
    const done = rows();
    expect(done.length).toBeGreaterThan(0);
    expect(done.length).toBeLessThan(2000);
    expect(monitor.status()).toMatchObject({ tracked_files: done.length, last_sync: { outcome: 'cancelled' } });
    const rest = 2000 - done.length;
    expect(await counts()).toMatchObject({ files_processed: 2000, files_hashed: rest, files_unchanged: done.length });
    expect(new Map(rows().map(({ path, checksum }) => [path, checksum]))).toEqual(await hashByHand(tree));
  });

  it('[MON-14] breaks off a large file', async () => {
    const { sync, at, rows, monitor } = await openScene({ 'a.txt': 'small' });
    await monitor.sync({ path: at('a.txt') });
    await writeFile(at('large.bin'), '');
    await truncate(at('large.bin'), 2 ** 40);
    const cancelling = new AbortController();
    const under = sync({ signal: cancelling.signal });
    under.catch(() => {});
    await untilOpen(at('large.bin'));
    cancelling.abort();
    await expect(under).rejects.toThrow('aborted');
    expect(rows().map(({ path }) => path)).toEqual([at('a.txt')]);
  });

  it('[MON-14] that had not begun does nothing', async () => {
    const { sync, rows } = await openScene(FILES);
    await expect(sync({ signal: AbortSignal.abort(new Error('never mind')) })).rejects.toThrow('never mind');
    expect(rows()).toEqual([]);
  });
});

it('[MON-15] two syncs of one tree at once end with the same records as one', async () => {
  const { sync, rows, tree, write } = await openScene();
  await write(Object.fromEntries(Array.from({ length: 800 }, (_, at) => [`${at % 20}/${at}.txt`, String(at)])));
  const results = await Promise.all([sync(), sync(), sync()]);
  for (const result of results) expect(result).toMatchObject({ success: true, data: { files_processed: 800 } });
  expect(new Map(rows().map(({ path, checksum }) => [path, checksum]))).toEqual(await hashByHand(tree));
});
