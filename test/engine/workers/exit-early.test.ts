import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { programPath } from '../../programs/program-path.js';

const PROGRAM = programPath('exit-early.js');

it('[HOSTS-390] a program that ends while its heartbeat thread is being loaded is not aborted by it', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'holdfast-early-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  for (const ms of [0, 20, 40, 60, 80, 100]) {
    const child = spawn(process.execPath, [PROGRAM, dir, String(ms)], { stdio: ['ignore', 'ignore', 'inherit'] });
    expect(await once(child, 'exit'), `${ms} ms`).toEqual([0, null]);
  }
});
