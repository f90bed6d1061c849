import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import { until } from 'holdfast/testing';
import { expect, it, onTestFinished } from 'vitest';
import { endProcess } from '../../src/process/end-process.ts';
import { currentHost, isAlive, readState, toProcessRef } from '../../src/process/process-ref.ts';

function startSleep() {
  const child = spawn('sleep', ['1000']);
  onTestFinished(() => void child.kill('SIGKILL'));
  return toProcessRef(child.pid ?? 0);
}

it('[BAD-124] a stopped process is told from a running one, and is killed for sure', async () => {
  const ref = startSleep();
  expect(readState(ref)).toBe('running');
  process.kill(ref.pid, 'SIGSTOP');
  await until(() => readState(ref) === 'stopped');
  expect(await endProcess(ref)).toBe(true);
  expect([isAlive(ref), readState(ref)]).toEqual([false, 'gone']);
  expect(await endProcess(ref)).toBe(true);
});

it('[BAD-124] a process that only has the same pid, or the same pid elsewhere, is left alone', async () => {
  const ref = startSleep();
  expect(await endProcess({ ...ref, startTime: 'another time' })).toBe(true);
  expect(await endProcess({ ...ref, startTime: '' })).toBe(undefined);
  expect(await endProcess({ ...ref, host: `not-${currentHost()}` })).toBe(undefined);
  expect(isAlive(ref)).toBe(true);
});

it.runIf(process.getuid?.() === 0)('[BAD-124] the process of another user is not waited for', async () => {
  const ref = startSleep();
  const code = `
    const { endProcess } = await import(${JSON.stringify(new URL('../../dist/process/end-process.js', import.meta.url))});
    console.log(String(await endProcess(${JSON.stringify(ref)})));
  `;
  const nobody = { uid: 65534, gid: 65534, cwd: '/' };
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], nobody);
  expect(stdout.trim()).toBe('undefined');
  expect(isAlive(ref)).toBe(true);
});
