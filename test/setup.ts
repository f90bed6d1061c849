/**
 * Checks after every test, whatever it tests:
 *
 * - every rejected promise was handled;
 * - when a test file ends, no process that one of its tests started is left. Children inherit a mark in their
 *   environment, so detached and orphaned processes are found too (Linux only);
 * - timers, environment and working directory are as before: other files run in the same process.
 *
 * State that a test writes to the user's default state directory goes to a directory of its own test file.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, vi } from 'vitest';

const MARK = 'HOLDFAST_TEST_FILE';
const OWN_VARIABLES = new Set([MARK, 'XDG_STATE_HOME', 'VITEST_POOL_ID', 'VITEST_WORKER_ID']);
// On a busy machine a process takes a while to exit. Only one that never exits is waited for this long.
const LEFT_BEHIND_AFTER_MS = 60_000;

// Captured before a test can install fake timers.
const { setImmediate: nextTurn } = globalThis;

const shared = readShared();

const mark = randomUUID();
process.env[MARK] = mark;

const stateHome = mkdtempSync(join(tmpdir(), 'holdfast-test-state-'));
process.env.XDG_STATE_HOME = stateHome;

let rejections: unknown[] = [];
const onRejection = (reason: unknown) => void rejections.push(reason);
process.on('unhandledRejection', onRejection);

afterEach(async () => {
  // Rejections are reported after the microtasks of the turn in which they went unhandled.
  await new Promise((resolve) => nextTurn(resolve));
  const seen = rejections;
  rejections = [];
  expect(seen, 'promises rejected without a handler').toEqual([]);
});

afterAll(async () => {
  process.off('unhandledRejection', onRejection);
  await rm(stateHome, { recursive: true, force: true });
});

afterAll(async () => {
  if (process.platform !== 'linux') return;
  await vi.waitFor(() => expect(findMarked(), 'processes left behind').toEqual([]), {
    timeout: LEFT_BEHIND_AFTER_MS,
  });
});

afterAll(() => {
  // As vitest does after each file: a spy on a fake timer puts the fake timer back.
  vi.restoreAllMocks();
  const left = readShared();
  vi.useRealTimers();
  Object.assign(globalThis, shared.timers);
  process.chdir(shared.cwd);
  for (const name of Object.keys(left.env)) if (!(name in shared.env)) delete process.env[name];
  Object.assign(process.env, shared.env);
  expect(left, 'timers, directory and environment, which other files of this process share').toEqual(shared);
});

function readShared() {
  return {
    timers: { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, Date, performance },
    cwd: process.cwd(),
    env: Object.fromEntries(Object.entries(process.env).filter(([name]) => !OWN_VARIABLES.has(name))),
  };
}

/**
 * Command lines of living processes that descend from this test file. Synchronous: a promise for each read would take three
 * times as long.
 */
function findMarked(): string[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  return pids.flatMap((pid) => toMarkedCommand(pid) ?? []);
}

function toMarkedCommand(pid: string): string | undefined {
  try {
    // A zombie has an empty environment and counts as gone.
    if (!readFileSync(`/proc/${pid}/environ`).includes(`${MARK}=${mark}\0`)) return undefined;
    return `${pid}: ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()}`;
  } catch {
    return undefined;
  }
}
