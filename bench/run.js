// @ts-check
/**
 * Runs the benchmarks one after the other, each in a process of its own.
 *
 *     npm run bench                     all of them, about half an hour
 *     npm run bench -- cycle watch      some
 * npm run bench -- --quick          all, with small sizes: do they run?
 */
import { spawn } from 'node:child_process';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { remark } from './report.js';
import { withTempDir } from './temp-dir.js';

/** Each variant runs in a process of its own, so that an earlier measurement does not affect a later one. */
const BENCHES = {
  cycle: { room: 'engine', variants: [''] },
  codec: { room: 'engine', variants: [''] },
  pickup: { room: 'engine', variants: ['inline', 'detached'] },
  'fair-shares': { room: 'engine', variants: [''] },
  waiting: { room: 'engine', variants: ['in-memory', 'parked'] },
  idle: { room: 'idle', variants: [''] },
  'idle-page': { room: 'idle', variants: [''] },
  watch: { room: 'store', variants: [''] },
  again: { room: 'recovery', variants: [''] },
  recovery: { room: 'recovery', variants: ['killed', 'stopped', 'groups', 'short-lives'] },
  size: { room: 'store', variants: [''] },
  start: { room: 'server', variants: [''] },
  server: { room: 'server', variants: ['stdio', 'http'] },
  gateway: { room: 'gateway', variants: ['stdio', 'http', 'start', 'memory'] },
  'server-listen': { room: 'server', variants: [''] },
  'hostile-input': { room: 'server', variants: ['stdio', 'http'] },
  monitor: { room: 'apps', variants: ['small', 'large'] },
  'ui-prompts': { room: 'ui-prompts', variants: ['delay', 'waiters', 'scan', 'memory'] },
  codex: { room: 'apps', variants: ['delay', 'rate', 'stdio'] },
  'codex-state': { room: 'apps', variants: [''] },
  postgres: { room: 'postgres', variants: ['cycle', 'slow-disk', 'size'] },
  far: { room: 'postgres', variants: [''] },
};

const { values, positionals } = parseArgs({ options: { quick: { type: 'boolean' } }, allowPositionals: true });
const names = positionals.length > 0 ? positionals : Object.keys(BENCHES);
const unknown = names.filter((name) => !Object.hasOwn(BENCHES, name));
if (unknown.length > 0) {
  remark(`there is no bench ${unknown.join(', ')}; expected ${Object.keys(BENCHES).join(', ')}`);
  process.exit(2);
}

if ((loadavg()[0] ?? 0) > availableParallelism() / 2) {
  remark(`the load average is ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores; expect noise`);
}

// An interrupted benchmark may leave a gigabyte behind; this process stays until the directory is removed.
let isStopped = false;
/** @type {import('node:child_process').ChildProcess | undefined} */
let running;
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) {
  process.once(signal, () => {
    isStopped = true;
    running?.kill();
  });
}
process.exitCode = await withTempDir(runAll);

/** @param {string} dir */
async function runAll(dir) {
  let failed = 0;
  for (const name of /** @type {(keyof typeof BENCHES)[]} */ (names)) {
    const { room, variants } = BENCHES[name];
    for (const variant of variants) {
      await warnIfBusy(name);
      if (isStopped) return 1;
      remark(`${name} ${variant}`.trim());
      const args = [variant, values.quick ? '--quick' : ''].filter((arg) => arg !== '');
      if (!(await run(`${room}/${name}.js`, args, dir))) failed += 1;
    }
  }
  return failed > 0 ? 1 : 0;
}

/** The load average still includes the previous benchmark, so this measures how busy the cores are right now. */
async function warnIfBusy(/** @type {string} */ name) {
  const before = readCores();
  await setTimeout(500);
  const after = readCores();
  const busy = 1 - (after.idle - before.idle) / (after.all - before.all);
  if (busy > 0.1) remark(`the cores are ${Math.round(busy * 100)} % busy before ${name}; compare ratios only`);
}

function readCores() {
  const times = cpus().map((core) => core.times);
  return {
    idle: times.reduce((sum, { idle }) => sum + idle, 0),
    all: times.reduce((sum, { user, nice, sys, irq, idle }) => sum + user + nice + sys + irq + idle, 0),
  };
}

/**
 * @param {string} file
 * @param {readonly string[]} args
 * @param {string} dir
 * @returns {Promise<boolean>} whether it succeeded
 */
function run(file, args, dir) {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child = spawn(process.execPath, ['--expose-gc', path, ...args], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, TMPDIR: dir },
  });
  running = child;
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      if (code !== 0) remark(`${file} ended with ${signal ?? `code ${code}`}`);
      resolve(code === 0);
    });
  });
}
