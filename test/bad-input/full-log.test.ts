import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { buildShim, type Shim } from '../../src/campaign/chaos/peers/shim.ts';

const MODULE = new URL('../../dist/stderr.js', import.meta.url).href;

/** Reports twice on a disk that is full, and once more when the test has made room. */
const PROGRAM = `
  import { writeSync } from 'node:fs';
  import { reportToStderr } from ${JSON.stringify(MODULE)};
  reportToStderr(new Error('first'));
  reportToStderr(new Error('second'));
  await new Promise((next) => setImmediate(() => setImmediate(next)));
  writeSync(Number(process.env.CONTROL_FD), Buffer.alloc(16), 0, 16, 0);
  reportToStderr(new Error('third'));
  console.log('alive');`;

async function openFullDisk(): Promise<{ readonly shim: Shim | undefined; readonly dir: string }> {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-full-log-')));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  mkdirSync(join(dir, 'disk'));
  const shim = await buildShim(dir, `${join(dir, 'disk')}/`);
  shim?.set('log', { error: 'ENOSPC' });
  return { shim, dir };
}

it('[BAD-574] a log on a full disk does not end the process that reports to it, and goes on when there is room', async () => {
  const { shim, dir } = await openFullDisk();
  // Without a compiler there is no full disk to be had; the campaign says so too.
  if (!shim) return expect(process.platform === 'linux' && spawnSync('cc', ['--version']).status === 0).toBe(false);
  const { HOLDFAST_CHAOS_CONTROL: control = '', ...shimEnv } = shim.toEnv('log');
  const log = openSync(join(dir, 'disk', 'worker.log'), 'a');
  const controlFile = openSync(control, 'r+');
  const ran = spawnSync(process.execPath, ['--input-type=module', '-e', PROGRAM], {
    stdio: ['ignore', 'pipe', log, controlFile],
    env: { ...process.env, ...shimEnv, HOLDFAST_CHAOS_CONTROL: control, CONTROL_FD: '3' },
    encoding: 'utf8',
  });
  for (const file of [log, controlFile]) closeSync(file);
  expect({ status: ran.status, stdout: ran.stdout }).toEqual({ status: 0, stdout: 'alive\n' });
  expect(readFileSync(join(dir, 'disk', 'worker.log'), 'utf8')).toBe('holdfast: third\n');
});
