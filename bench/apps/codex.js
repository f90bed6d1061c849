// @ts-check
/**
 * What are the delay and the throughput of Codex output on its way to the host?
 *
 * node --expose-gc bench/apps/codex.js delay|rate|stdio [--quick]
 */
import { execFile } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createHost } from 'holdfast/host';
import { sharedNow, toDelays, toMedian, toPercentile } from '../measure.js';
import { isQuick, print } from '../report.js';
import { withTempDir } from '../temp-dir.js';
import { parseMark } from './codex-pace.js';

const COUNT = isQuick ? 2000 : 100_000;
const BURST = 100;

const VARIANTS = { delay: measureDelay, rate: measureRate, stdio: measureStdio };
const toPath = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url));

const variant = /** @type {keyof typeof VARIANTS} */ (process.argv[2]);
await withTempDir((dir) => VARIANTS[variant](dir));

/** @param {string} dir */
async function measureDelay(dir) {
  const count = isQuick ? 20 : 500;
  const poller = [toPath('codex-poller.js'), join(dir, 'data', 'codex_app_state.v1.json'), String(count)];
  const polling = promisify(execFile)(process.execPath, poller);
  const { marks } = await followCodex(dir, `print ${count} spread 60`);
  const waits = marks.map(({ waitMs }) => waitMs);
  /** @type {number[]} */
  const naiveWaits = JSON.parse((await polling).stdout);
  if (waits.length !== count || naiveWaits.length !== count) throw new Error(`${waits.length} of ${count} lines came`);
  print({
    bench: 'codex',
    what: 'delay',
    ...toDelays(waits, naiveWaits),
    p99AimMs: 20,
    samples: count,
  });
}

/** @param {string} dir */
async function measureRate(dir) {
  printRate('rate', await followCodex(dir, `print ${COUNT} burst ${BURST}`));
}

/** @param {string} dir */
async function measureStdio(dir) {
  const server = { command: process.execPath, args: [toPath('codex-streamer.js'), dir] };
  const args = { count: COUNT, size: BURST };
  printRate('stdio', await follow(server, { tool: 'pour', args, meta: { stream: true } }));
}

/**
 * @param {string} what
 * @param {Awaited<ReturnType<typeof read>>} seen
 */
function printRate(what, { marks, lost }) {
  if (marks.some(({ index }, at) => at > 0 && index <= (marks[at - 1]?.index ?? 0))) {
    throw new Error('lines came twice or out of order');
  }
  const waits = marks.map(({ waitMs }) => waitMs);
  const [first, last] = [marks[0], marks.at(-1)];
  if (!first || !last) throw new Error('nothing came');
  print({
    bench: 'codex',
    what,
    ratio: marks.length / COUNT,
    aim: '>= 1',
    lost,
    linesPerSecond: (marks.length / (last.seenAt - first.madeAt)) * 1000,
    printedPerSecond: ((last.index - first.index) / (last.madeAt - first.madeAt)) * 1000,
    p50Ms: toMedian(waits),
    p99Ms: toPercentile(waits, 0.99),
    lines: COUNT,
  });
}

/**
 * Follows one run of the printer, from its stdout through the worker, the store, the server and its stdio to the host's
 * updates.
 *
 * @param {string} dir
 * @param {string} prompt
 */
async function followCodex(dir, prompt) {
  const codex = join(dir, 'codex');
  await writeFile(codex, `#!/bin/sh\nexec '${process.execPath}' '${toPath('codex-printer.js')}'\n`);
  await Promise.all([chmod(codex, 0o755), mkdir(join(dir, 'work'))]);
  const places = ['--root', join(dir, 'work'), '--data-dir', join(dir, 'data')];
  const server = {
    command: process.execPath,
    args: [toPath('../../dist/cli/main.js'), 'codex', '--codex', codex, ...places],
    env: { HOLDFAST_DIR: dir },
  };
  const meta = { stream: true, workdir: join(dir, 'work') };
  return follow(server, { tool: 'codex_app_window_run', args: { prompt }, meta });
}

/**
 * @param {import('holdfast/host').StdioSpec} server
 * @param {{ tool: string, args: import('holdfast/host').JsonObject, meta: import('holdfast/host').JsonObject }} what
 */
async function follow(server, { tool, args, meta }) {
  const host = await createHost();
  await host.connect('server', server);
  const call = await host.call('server', tool, args, { meta });
  const seen = await read(call);
  const outcome = await call.outcome();
  if (outcome.kind !== 'result' || outcome.isError) throw new Error(`the run ended with ${JSON.stringify(outcome)}`);
  await host.close();
  return seen;
}

/** @param {import('holdfast/host').Call} call */
async function read(call) {
  const marks = [];
  let lost = 0;
  for await (const update of call.updates()) {
    if (update.type === 'gap') lost += update.to - update.from + 1;
    const mark = update.type === 'text' ? parseMark(update.text) : undefined;
    if (!mark) continue;
    const seenAt = sharedNow();
    marks.push({ ...mark, seenAt, waitMs: seenAt - mark.madeAt });
  }
  return { marks, lost };
}
