import { EventEmitter } from 'node:events';
import type { FSWatcher, watch } from 'node:fs';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { CommitWatcher } from '../../src/sqlite/commit-watcher.ts';
import { sureWatch } from '../sure-watch.ts';
import { INSERT_ITEM, Scratch } from './scratch.ts';

const nextTurn = () => new Promise<void>((resolve) => void setImmediate(resolve));

const scratch = new Scratch();
let watcher: CommitWatcher | undefined;
// What the system tells of files comes by itself; only pauses are counted by hand.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => {
  watcher?.stop();
  vi.useRealTimers();
});

function start(options: { readonly watch?: typeof watch } = {}) {
  const db = scratch.open();
  const seen = { commits: 0, looks: 0 };
  const get = db.get.bind(db);
  vi.spyOn(db, 'get').mockImplementation((sql, ...values) => {
    if (sql === 'PRAGMA data_version') seen.looks += 1;
    return get(sql, ...values);
  });
  const onCommit = () => {
    seen.commits += 1;
    return false;
  };
  const onError = (error: unknown) => {
    throw error;
  };
  watcher = new CommitWatcher(db, { onCommit, onError, ...options });
  watcher.start();
  return seen;
}

/** Lets this much time pass, as slowly as the system needs to tell what it has to. */
async function pass(ms: number, stepMs = ms): Promise<void> {
  for (let passed = 0; passed < ms; passed += stepMs) {
    await nextTurn();
    vi.advanceTimersByTime(stepMs);
  }
}

/** How long it takes to see `commits` of them. */
async function toSeen(seen: { readonly commits: number }, commits: number): Promise<number> {
  for (let ms = 0; ms < 10_000; ms += 1) {
    if (seen.commits >= commits) return ms;
    await pass(1);
  }
  throw new Error('a commit was not seen');
}

it('[ROOMS-220] asks for commits of others no more than every other second while nobody writes', async () => {
  const seen = start({ watch: sureWatch });
  await pass(10_000, 10);
  seen.looks = 0;
  await pass(60_000, 10);
  expect(seen.looks).toBeLessThanOrEqual(30);
});

it('[ROOMS-221] sees a commit of another connection long before it would have asked', async () => {
  const seen = start();
  const other = scratch.open();
  for (const commits of [1, 2, 3]) {
    await pass(10_000, 10);
    other.insert(INSERT_ITEM, 'a', '');
    expect(await toSeen(seen, commits)).toBeLessThan(500);
  }
});

it('[ROOMS-222] asks often again where nobody tells of writes', async () => {
  const silent = () => Object.assign(new EventEmitter(), { close() {} }) as unknown as FSWatcher;
  const seen = start({ watch: silent as unknown as typeof watch });
  const other = scratch.open();
  await pass(10_000, 10);
  other.insert(INSERT_ITEM, 'a', '');
  expect(await toSeen(seen, 1)).toBeLessThan(3000);
  await pass(10_000, 10);
  other.insert(INSERT_ITEM, 'b', '');
  expect(await toSeen(seen, 2)).toBeLessThan(50);
});

it('[ROOMS-229] listens again a minute after the system had no watch to give', async () => {
  let refusals = 1;
  const scarce = ((...args: Parameters<typeof watch>) => {
    if (refusals-- > 0) throw Object.assign(new Error('too many'), { code: 'EMFILE' });
    return sureWatch(...args);
  }) as typeof watch;
  const seen = start({ watch: scarce });
  await pass(50_000, 10);
  seen.looks = 0;
  await pass(5000, 10);
  expect(seen.looks).toBeGreaterThan(100);
  await pass(20_000, 10);
  seen.looks = 0;
  await pass(60_000, 10);
  expect(seen.looks).toBeLessThanOrEqual(30);
});
