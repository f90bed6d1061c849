// @ts-check
/** What does waiting for results in a prompt log cost, compared with a port of the poller that first read the log? */
import { spawn } from 'node:child_process';
import { once, setMaxListeners } from 'node:events';
import { appendFile, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { waitForResult } from '../../dist/dialects/ui-prompts/log/log-reader.js';
import { NaivePoller } from '../../test/dialects/ui-prompts/naive-poller.js';
import { collect, interleave, sharedNow, toDelays, toMedian, toRatio } from '../measure.js';
import { isQuick, print } from '../report.js';
import { withTempDir } from '../temp-dir.js';

const POLL_MS = 1000;
const naive = new NaivePoller();
const VARIANTS = { delay: measureDelay, waiters: measureWaiters, scan: measureScan, memory: measureMemory };

const variant = /** @type {keyof typeof VARIANTS} */ (process.argv[2]);
await withTempDir((dir) => VARIANTS[variant](join(dir, 'ui-prompts.jsonl')));

/** @param {string} path */
async function measureDelay(path) {
  const ids = Array.from({ length: isQuick ? 5 : 200 }, (_, index) => `delay-${index}`);
  const ours = ids.map((id) => waitFor(path, id).then(({ prompt }) => sharedNow() - Number(prompt.markdown)));
  const theirs = ids.map((id) => pollFor(path, id).then((text) => sharedNow() - Number(text)));
  const writer = fileURLToPath(new URL('ui-prompts-writer.js', import.meta.url));
  const child = spawn(process.execPath, [writer, path, '150', ...ids], { stdio: 'inherit' });
  await once(child, 'exit');
  const [waits, naiveWaits] = [await Promise.all(ours), await Promise.all(theirs)];
  print({
    bench: 'ui-prompts',
    what: 'delay',
    ...toDelays(waits, naiveWaits),
    p99AimMs: 30,
    samples: ids.length,
  });
}

/** @param {string} path */
async function measureWaiters(path) {
  const count = isQuick ? 50 : 1000;
  const seconds = isQuick ? 1 : 5;
  await writeFile(path, Array.from({ length: 2500 }, (_, index) => toLine(`old-${index}`, 'x'.repeat(500))).join(''));
  const ids = Array.from({ length: count }, (_, index) => `waiter-${index}`);
  /** @param {(signal: AbortSignal) => Promise<unknown>[]} begin */
  const measure = async (begin) => {
    const stop = new AbortController();
    setMaxListeners(0, stop.signal);
    const waits = Promise.allSettled(begin(stop.signal));
    await setTimeout(500);
    const before = process.cpuUsage();
    for (let step = 0; step < seconds * 10; step++) {
      await appendFile(path, toLine(`new-${step}`, 'x'.repeat(500)));
      await setTimeout(100);
    }
    const { user, system } = process.cpuUsage(before);
    stop.abort();
    await waits;
    return (user + system) / 1000 / seconds;
  };
  const figures = await interleave(isQuick ? 1 : 3, {
    ours: () => measure((signal) => ids.map((id) => waitFor(path, id, signal))),
    naive: () => measure((signal) => ids.map((id) => pollFor(path, id, signal))),
  });
  print({
    bench: 'ui-prompts',
    what: 'waiters',
    ...toRatio(figures.ours, figures.naive),
    aim: '<= 0.1',
    cpuMsPerSecond: toMedian(figures.ours),
    naiveCpuMsPerSecond: toMedian(figures.naive),
    waiters: count,
  });
}

/** @param {string} path */
async function measureScan(path) {
  const bytes = (isQuick ? 16 : 1024) * 1024 * 1024;
  await fill(path, bytes);
  const figures = await interleave(isQuick ? 1 : 3, {
    scan: () => time(() => waitFor(path, 'last')),
    read: () => time(() => readAll(path)),
  });
  print({
    bench: 'ui-prompts',
    what: 'scan',
    ...toRatio(figures.scan, figures.read),
    scanMs: toMedian(figures.scan),
    readMs: toMedian(figures.read),
    bytes,
  });
}

/** @param {string} path */
async function measureMemory(path) {
  const count = isQuick ? 100 : 10_000;
  await writeFile(path, toLine('other', 'x'));
  await waitFor(path, 'other');
  const before = readMemory();
  const stops = Array.from({ length: count }, () => new AbortController());
  const waits = stops.map(({ signal }, index) => waitFor(path, `s1_app.run_00000000-0000-4000-8000-${index}`, signal));
  const settled = Promise.allSettled(waits);
  await setTimeout(1500);
  const after = readMemory();
  for (const stop of stops) stop.abort();
  await settled;
  print({
    bench: 'ui-prompts',
    what: 'memory',
    ratio: (after.heap - before.heap) / count / 10_240,
    aim: '<= 1',
    heapBytesPerCall: (after.heap - before.heap) / count,
    rssBytesPerCall: (after.rss - before.rss) / count,
    calls: count,
  });
}

/**
 * @param {string} path
 * @param {string} taskId
 * @param {AbortSignal} [signal]
 */
function waitFor(path, taskId, signal) {
  // The reader does not keep the process alive, so this timer does.
  const alive = setInterval(() => {}, 1000);
  const options = { taskId, requestIdPrefix: 'mcp-task:', pollIntervalMs: POLL_MS, ...(signal && { signal }) };
  return waitForResult(path, options).finally(() => clearInterval(alive));
}

/**
 * @param {string} path
 * @param {string} taskId
 * @param {AbortSignal} [signal]
 */
async function pollFor(path, taskId, signal) {
  await setTimeout(Math.random() * POLL_MS);
  while (!signal?.aborted) {
    const text = await naive.poll(path, taskId);
    if (text !== undefined) return text;
    await setTimeout(POLL_MS);
  }
  return '';
}

/**
 * @param {string} path
 * @param {number} bytes
 */
async function fill(path, bytes) {
  const lines = Array.from({ length: 500 }, (_, index) => toLine(`filler-${index}`, `结果 ${'y'.repeat(index * 8)}`));
  const block = Buffer.from(lines.join(''));
  const file = await open(path, 'w');
  for (let written = 0; written < bytes; written += block.length) await file.write(block);
  await file.write(toLine('last', 'found'));
  await file.close();
}

/** @param {string} path */
async function readAll(path) {
  const file = await open(path);
  const buffer = Buffer.alloc(1024 * 1024);
  let read = 0;
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, read);
    if (bytesRead === 0) break;
    read += bytesRead;
  }
  await file.close();
}

/** @param {() => Promise<unknown>} fn */
async function time(fn) {
  const began = performance.now();
  await fn();
  return performance.now() - began;
}

function readMemory() {
  collect();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heap: heapUsed + external, rss };
}

/**
 * @param {string} requestId
 * @param {string} markdown
 */
function toLine(requestId, markdown) {
  const entry = { ts: new Date().toISOString(), type: 'ui_prompt', action: 'request', requestId };
  return `${JSON.stringify({ ...entry, prompt: { kind: 'result', markdown } })}\n`;
}
