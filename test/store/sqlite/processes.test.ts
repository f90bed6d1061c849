import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { programPath } from '../../programs/program-path.js';
import { StoreScratch } from './scratch.ts';

const PROGRAM = programPath('many-writers.js');
const PROCESSES = 4;
const TASKS = 250;

const scratch = new StoreScratch();

it('[STORE-14] several processes that write all the time all get their turn, and their event loops too', async () => {
  const children = Array.from({ length: PROCESSES }, () => {
    const child = spawn(process.execPath, [PROGRAM, scratch.path, `${TASKS}`], { stdio: ['pipe', 'pipe', 'inherit'] });
    const output = text(child.stdout);
    return { child, output, ready: once(child.stdout, 'data') };
  });
  await Promise.all(children.map(({ ready }) => ready));
  for (const { child } of children) child.stdin.end();
  const outputs = await Promise.all(children.map(({ output }) => output));

  for (const output of outputs) {
    const { written, turns } = JSON.parse(output.replace('ready\n', '')) as { written: number; turns: number };
    expect(written).toBe(TASKS);
    expect(turns).toBeGreaterThan(10);
  }
  const store = await scratch.open();
  expect(await store.tasks.backlog('writers')).toMatchObject({ queued: PROCESSES * TASKS });
});

it('[STORE-17] a subscriber that waits for changes leaves the processor alone', async () => {
  const store = await scratch.open();
  const stop = store.changes.subscribe(() => {});
  const before = process.cpuUsage();
  const started = performance.now();
  // One look takes microseconds; a busy loop would take all of the time, whatever else the machine does.
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      if (performance.now() - started < 1000) return;
      clearInterval(timer);
      resolve();
    }, 50);
  });
  const { user, system } = process.cpuUsage(before);
  stop();
  expect((user + system) / 1000 / (performance.now() - started)).toBeLessThan(0.5);
});
