// @ts-check
/**
 * How soon does work restart after its server and worker were killed shortly after its acknowledgement, compared with work
 * that starts for the first time? Both are measured from the start of the server.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sharedNow, toMedian } from '../measure.js';
import { isQuick, print } from '../report.js';
import { withTempDir } from '../temp-dir.js';

const SERVER = fileURLToPath(new URL('again-server.js', import.meta.url));
/** Around the time that a worker takes to start and register. */
const DELAYS_MS = isQuick ? [300] : [100, 200, 300, 400, 500, 600, 800];
const ROUNDS = isQuick ? 1 : 3;

await withTempDir(async (dir) => {
  const samples = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (const delayMs of DELAYS_MS) samples.push(await takeSample(await mkdtemp(join(dir, 'sample-')), delayMs));
  }
  const again = samples.map(({ againMs }) => againMs);
  const firstP50Ms = toMedian(samples.map(({ firstMs }) => firstMs));
  print({
    bench: 'again',
    ratio: toMedian(again) / firstP50Ms,
    aim: '<= 4',
    p50Ms: toMedian(again),
    worstMs: Math.max(...again),
    firstP50Ms,
    samples: samples.length,
  });
});

/**
 * @param {string} dir
 * @param {number} delayMs from the acknowledgement to the kill
 */
async function takeSample(dir, delayMs) {
  const undisturbed = await mkdtemp(join(dir, 'undisturbed-'));
  const firstMs = await timeStart(undisturbed, 0);
  endWorkers(undisturbed);
  const victim = serve(dir);
  await once(victim.stdout, 'data');
  await setTimeout(delayMs);
  await end(victim);
  while (readNumbers(dir, 'workers.txt').length === 0) await setTimeout(5);
  endWorkers(dir);
  const againMs = await timeStart(dir, readNumbers(dir, 'begun.txt').length);
  endWorkers(dir);
  return { firstMs, againMs };
}

/** The time from the start of a server to the first line of its tool. @param {string} dir @param {number} before runs so far */
async function timeStart(dir, before) {
  const startedAt = sharedNow();
  const server = serve(dir);
  while (readNumbers(dir, 'begun.txt').length === before) await setTimeout(5);
  await end(server);
  return (readNumbers(dir, 'begun.txt').at(-1) ?? Number.NaN) - startedAt;
}

/** @param {string} dir */
function serve(dir) {
  return spawn(process.execPath, [SERVER, dir], { stdio: ['pipe', 'pipe', 'inherit'] });
}

/** @param {import('node:child_process').ChildProcess} server */
async function end(server) {
  const exit = once(server, 'exit');
  server.kill('SIGKILL');
  await exit;
}

/** @param {string} dir */
function endWorkers(dir) {
  for (const pid of readNumbers(dir, 'workers.txt')) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has already exited.
    }
  }
}

/** The numbers in a file, from complete lines only. @param {string} dir @param {string} name */
function readNumbers(dir, name) {
  const path = join(dir, name);
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8').split('\n').slice(0, -1).map(Number);
}
