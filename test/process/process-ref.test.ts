import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { afterEach, expect, it } from 'vitest';
import { currentProcess, isAlive, toProcessRef } from '../../src/process/process-ref.ts';
import { readProcess } from '../../src/process/process-table.ts';

const isLinux = process.platform === 'linux';
const started: ReturnType<typeof spawn>[] = [];

function start(command: string, args: string[]) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  started.push(child);
  return { child, pid: child.pid as number };
}

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

it('this process is alive and carries its host', () => {
  const me = currentProcess();
  expect(me.pid).toBe(process.pid);
  expect(me.host.startsWith(`${hostname()}/`)).toBe(true);
  expect(me.startTime).not.toBe('');
  expect(isAlive(me)).toBe(true);
});

it('the same process always has the same start time', () => {
  const { pid } = start('sleep', ['1000']);
  expect(toProcessRef(pid)).toEqual(toProcessRef(pid));
});

it('a process that has ended is dead', async () => {
  const { child, pid } = start('sleep', ['1000']);
  const ref = toProcessRef(pid);
  expect(isAlive(ref)).toBe(true);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(isAlive(ref)).toBe(false);
});

it.runIf(isLinux)('a later process of the same command has another start time', async () => {
  const { pid } = start('sleep', ['1000']);
  const first = toProcessRef(pid);
  // The kernel counts start times in ticks of 10 ms.
  await expect
    .poll(() => toProcessRef(start('sleep', ['1000']).pid).startTime, { timeout: 60_000 })
    .not.toBe(first.startTime);
  const second = toProcessRef(start('sleep', ['1000']).pid);
  expect(isAlive({ ...second, startTime: first.startTime })).toBe(false);
  expect(isAlive(second)).toBe(true);
});

it('a pid that has passed to another process is dead', () => {
  expect(isAlive({ ...currentProcess(), startTime: 'another time' })).toBe(false);
});

it.runIf(isLinux)('a zombie is dead', async () => {
  // The parent becomes `sleep`, which never collects the child it inherited.
  const { child } = start('sh', ['-c', 'sleep 1000 & echo $!; exec sleep 1000']);
  const [line] = await once(child.stdout as NonNullable<typeof child.stdout>, 'data');
  const ref = toProcessRef(Number(line));
  expect(isAlive(ref)).toBe(true);
  // Until then it is a shell, which would collect it.
  const comm = `/proc/${child.pid}/comm`;
  await expect.poll(() => readFileSync(comm, 'utf8').trim(), { interval: 5, timeout: 60_000 }).toBe('sleep');
  process.kill(ref.pid, 'SIGKILL');
  await expect.poll(() => isAlive(ref), { interval: 5, timeout: 60_000 }).toBe(false);
  expect(readProcess(ref.pid)?.ended).toBe(true);
});

it('a process of another host cannot be judged', () => {
  expect(isAlive({ ...currentProcess(), host: 'elsewhere/pid:[1]' })).toBeUndefined();
});

it('a running process without a known start time cannot be judged', () => {
  expect(isAlive({ ...currentProcess(), startTime: '' })).toBeUndefined();
});

it.runIf(isLinux)('a process name full of brackets and spaces does not confuse the start time', async () => {
  const script = `process.title = 'a) R 1 1 1 (b'; process.stdout.write('named'); setInterval(() => {}, 1000)`;
  const { child, pid } = start(process.execPath, ['-e', script]);
  const before = toProcessRef(pid);
  await once(child.stdout as NonNullable<typeof child.stdout>, 'data');
  expect(toProcessRef(pid)).toEqual(before);
  expect(isAlive(before)).toBe(true);
});

it.runIf(isLinux)(
  '[PG-112] of a process of another boot nothing can be told: its machine may only have the same name',
  () => {
    const me = currentProcess();
    const [, ticks] = me.startTime.split('/');
    expect(isAlive({ ...me, startTime: `another-boot/${ticks}` })).toBeUndefined();
    expect(isAlive({ ...me, pid: 2 ** 22 + 1, startTime: `another-boot/${ticks}` })).toBeUndefined();
  },
);
