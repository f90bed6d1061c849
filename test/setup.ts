/**
 * What must hold after every test, whatever it was about.
 *
 * - no promise was rejected without anybody looking at it;
 * - when a test file ends, no process that one of its tests started is left. Children inherit a mark in their
 *   environment, so even those that were detached or lost their parent are found (Linux only);
 * - it leaves timers, environment and working directory as it found them: other files run in the same process.
 *
 * What a test keeps in the user's state directory without naming a place lies in a directory of the test file's own.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, vi } from 'vitest';

const MARK = 'HOLDFAST_TEST_FILE';
const OWN_VARIABLES = new Set([MARK, 'XDG_STATE_HOME', 'VITEST_POOL_ID', 'VITEST_WORKER_ID']);
// On a busy machine a process takes its time to end. Only one that never does is waited for so long.
const LEFT_BEHIND_AFTER_MS = 60_000;

// Taken before any test can put fake timers in its place.
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

/** Command lines of living processes that descend from this test file. In one go: a promise for each would take thrice the time. */
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
