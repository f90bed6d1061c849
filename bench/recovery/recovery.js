// @ts-check
/**
 * How soon does work restart after its worker was killed, was stopped, or has left child groups behind; and how long must
 * short-lived servers run in total until they have declared a stopped worker dead?
 *
 *     node recovery.js killed | stopped | groups | short-lives
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sharedNow, toMedian, toPercentile } from '../measure.js';
import { isQuick, print } from '../report.js';
import { withTempDir } from '../temp-dir.js';

const SERVER = fileURLToPath(new URL('recovery-server.js', import.meta.url));
const LANES = isQuick ? 1 : 4;
const LIVES_MS = isQuick ? [4000] : [2000, 4000, 8000];

/**
 * The signal to the worker, the number of samples and of child groups, and the time within which the work should have
 * restarted.
 */
const DEEDS = {
  killed: { signal: /** @type {const} */ ('SIGKILL'), samples: isQuick ? 1 : 25, groups: 0, aimMs: 3000, share: 0.95 },
  stopped: { signal: /** @type {const} */ ('SIGSTOP'), samples: isQuick ? 1 : 3, groups: 0, aimMs: 16_000, share: 1 },
  groups: { signal: /** @type {const} */ ('SIGKILL'), samples: isQuick ? 1 : 2, groups: 48, aimMs: 10_000, share: 1 },
};

const [variant = ''] = process.argv.slice(2);
await withTempDir(async (dir) => {
  if (variant === 'short-lives') {
    for (const lifeMs of LIVES_MS) await printLives(await mkdtemp(join(dir, 'lives-')), lifeMs);
  } else await printDeed(dir, /** @type {keyof typeof DEEDS} */ (variant));
});

/** @param {string} dir @param {keyof typeof DEEDS} name */
async function printDeed(dir, name) {
  const deed = DEEDS[name];
  // Process groups are ended by the hundred: parallel lanes would disturb each other's figures.
  const lanes = deed.groups > 0 ? 1 : LANES;
  const waits = (await Promise.all(Array.from({ length: lanes }, () => runLane(dir, deed)))).flat();
  const reachedMs = toPercentile(waits, deed.share);
  const { aimMs, share, groups } = deed;
  const figures = { p50Ms: toMedian(waits), reachedMs, worstMs: Math.max(...waits), samples: waits.length };
  print({ bench: 'recovery', what: name, ratio: reachedMs / aimMs, aim: '<= 1', aimMs, share, groups, ...figures });
}

/** @param {string} dir @param {(typeof DEEDS)[keyof typeof DEEDS]} deed */
async function runLane(dir, { signal, samples, groups }) {
  const place = await mkdtemp(join(dir, 'lane-'));
  const server = await serve(place);
  /** @type {number[]} */
  const waits = [];
  for (let number = 1; number <= samples; number++) {
    server.stdin.write(`${number} ${groups}\n`);
    const [first] = await untilBegun(place, number, 1);
    const hitAt = sharedNow();
    process.kill(first?.pid ?? 0, signal);
    const [, again] = await untilBegun(place, number, 2);
    waits.push((again?.at ?? Number.NaN) - hitAt);
  }
  await end(server);
  endWorkers(place);
  return waits;
}

/** @param {string} dir @param {number} lifeMs */
async function printLives(dir, lifeMs) {
  const first = await serve(dir);
  first.stdin.write('1 0\n');
  const [begun] = await untilBegun(dir, 1, 1);
  await end(first);
  process.kill(begun?.pid ?? 0, 'SIGSTOP');
  let livedMs = 0;
  let lives = 0;
  while (readBegun(dir, 1).length < 2) {
    const bornAt = sharedNow();
    const server = spawn(process.execPath, [SERVER, dir], { stdio: ['pipe', 'ignore', 'inherit'] });
    while (readBegun(dir, 1).length < 2 && sharedNow() - bornAt < lifeMs) await setTimeout(5);
    livedMs += sharedNow() - bornAt;
    lives += 1;
    await end(server);
  }
  endWorkers(dir);
  print({ bench: 'recovery', what: 'short-lives', ratio: livedMs / 20_000, aim: '<= 1', lifeMs, livedMs, lives });
}

/** @param {string} dir */
async function serve(dir) {
  const server = spawn(process.execPath, [SERVER, dir], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(server.stdout, 'data');
  return server;
}

/** @param {import('node:child_process').ChildProcess} server */
async function end(server) {
  const exit = once(server, 'exit');
  server.kill('SIGKILL');
  await exit;
}

/** @param {string} dir @param {number} number @param {number} count */
async function untilBegun(dir, number, count) {
  while (readBegun(dir, number).length < count) await setTimeout(5);
  return readBegun(dir, number);
}

/** The records about one task, from complete lines only. @param {string} dir @param {number} wanted */
function readBegun(dir, wanted) {
  const path = join(dir, 'begun.txt');
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  const notes = lines.map((line) => line.split(' ').map(Number));
  return notes.filter(([number]) => number === wanted).map(([, at = 0, pid = 0]) => ({ at, pid }));
}

/** @param {string} dir */
function endWorkers(dir) {
  const lines = readFileSync(join(dir, 'begun.txt'), 'utf8').split('\n').slice(0, -1);
  for (const pid of new Set(lines.map((line) => Number(line.split(' ')[2])))) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has already exited.
    }
  }
}
