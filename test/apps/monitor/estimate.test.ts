import { mkdir, symlink, truncate } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { toDurationMs, toPace } from '../../../src/apps/monitor/scan/pace.ts';
import { openScene } from './open-scene.ts';

const toFiles = (folder: string, count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`${folder}/${at % 3}/${at}.txt`, 'x']));

describe('the estimate of a sync', () => {
  it('[MON-13] [SEC-385] is one second per 100 files where nothing has been measured', async () => {
    const { monitor, at } = await openScene({ ...toFiles('a', 200), 'one.txt': 'x' });
    expect(monitor.estimateMs({ path: at('a'), recursive: true })).toBe(2001);
    expect(monitor.estimateMs({ path: at('one.txt') })).toBe(11);
    expect(monitor.estimateMs({ path: 'relative' })).toBeUndefined();
  });

  it('[MON-13] is the time of the last sync of the same path', async () => {
    const { monitor, tree, counts } = await openScene(toFiles('a', 100));
    await counts();
    const lastSeconds = monitor.status().last_sync?.duration_seconds ?? 0;
    expect((monitor.estimateMs({ path: tree, recursive: true }) ?? 0) / 1000).toBeCloseTo(lastSeconds, 2);
  });

  it('[SEC-385] of another path goes by the pace that was measured, and by how many files it has', async () => {
    const { monitor, at } = await openScene({ ...toFiles('a', 600), ...toFiles('b', 150) });
    await monitor.sync({ path: at('a'), recursive: true });
    const lastMs = (monitor.status().last_sync?.duration_seconds ?? 0) * 1000;
    const ratio = lastMs / (monitor.estimateMs({ path: at('b'), recursive: true }) ?? 0);
    expect(ratio).toBeGreaterThan(3.5);
    expect(ratio).toBeLessThan(4.1);
  });

  it('[SEC-385] counts what has come since, and all of it when everything is to be hashed', async () => {
    const { monitor, tree, counts, write } = await openScene(toFiles('a', 200));
    await counts();
    await counts();
    const before = monitor.estimateMs({ path: tree, recursive: true }) ?? 0;
    const whole = monitor.estimateMs({ path: tree, recursive: true, rehash: true }) ?? 0;
    await write(toFiles('b', 200));
    const grown = monitor.estimateMs({ path: tree, recursive: true }) ?? 0;
    expect(grown - before).toBeGreaterThan(0.9 * whole);
    expect(monitor.estimateMs({ path: tree, recursive: true, rehash: true })).toBeGreaterThan(1.9 * whole - 2);
  });

  it('[SEC-385] leaves out what is excluded, and minds the bytes of what is not', async () => {
    const { monitor, at, configure } = await openScene({ ...toFiles('a', 200), 'b/large.bin': '' });
    await configure({ filter: { exclude_globs: ['*/a/1/*'] } });
    expect(monitor.estimateMs({ path: at('a'), recursive: true })).toBe(10 * (200 - 67) + 1);
    await truncate(at('b/large.bin'), 10_000_000_000);
    expect(monitor.estimateMs({ path: at('b') })).toBe(100_010);
  });

  it('[SEC-386] tells nothing of what lies outside the allowed roots, by whatever way it is named', async () => {
    const { monitor, at, configure } = await openScene(toFiles('out', 300));
    await mkdir(at('in'));
    await symlink(at('out'), at('in/link'));
    await configure({ allowed_roots: [at('in')] });
    for (const path of [at('out'), at('in/link'), at('in/link/1'), `${at('in')}/../out`]) {
      expect(monitor.estimateMs({ path, recursive: true })).toBeUndefined();
    }
    expect(monitor.estimateMs({ path: at('in'), recursive: true })).toBe(10);
  });
});

describe('the pace of syncs', () => {
  const small = { filesProcessed: 1000, filesHashed: 1000, bytesHashed: 1000, durationMs: 500 };
  const large = { filesProcessed: 10, filesHashed: 10, bytesHashed: 1_000_000_000, durationMs: 4000 };
  const opening = { msPerFile: 10, bytesPerMs: 100_000 };

  it('[SEC-385] comes from small files for their number and from large ones for their bytes', () => {
    expect(toPace([])).toEqual(opening);
    expect(toPace([small])).toEqual({ ...opening, msPerFile: 0.5 });
    expect(toPace([large])).toEqual({ ...opening, bytesPerMs: 250_000 });
    expect(toPace([small, large])).toEqual({ msPerFile: 0.5, bytesPerMs: 250_000 });
    expect(toDurationMs({ files: 100, bytes: 1_000_000 }, toPace([small, large]))).toBe(54);
  });

  it('[SEC-385] is not learned from a few files, or from syncs that hashed little', () => {
    const few = { filesProcessed: 5, filesHashed: 5, bytesHashed: 5, durationMs: 300 };
    const same = { filesProcessed: 50_000, filesHashed: 200, bytesHashed: 200, durationMs: 900 };
    const none = { filesProcessed: 50_000, filesHashed: 0, bytesHashed: 0, durationMs: 800 };
    expect(toPace([few, same, none])).toEqual(opening);
  });
});
