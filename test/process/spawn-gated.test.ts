import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { endGroup, type SpawnOptions, spawnGated } from '../../src/process/process-group.ts';
import { isAlive, type ProcessRef } from '../../src/process/process-ref.ts';
import { programPath } from '../programs/program-path.js';

let folder: string;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-')));
});

afterEach(() => rm(folder, { recursive: true }));

async function run(command: string, args: string[], options: SpawnOptions = {}) {
  const { child, ref, release } = await spawnGated(command, args, options);
  const ended = once(child, 'close');
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  release();
  const [stdout, stderr] = await output;
  const [code] = await ended;
  return { pid: ref.pid, stdout, stderr, code };
}

it('passes arguments exactly', async () => {
  const args = ['', ' two  spaces ', `it's "quoted"`, 'line\nbreak\n', '$HOME `id` \\', '*', '-n', 'ü✓'];
  const { stdout } = await run(process.execPath, [
    '-e',
    'process.stdout.write(JSON.stringify(process.argv.slice(1)))',
    '--',
    ...args,
  ]);
  expect(JSON.parse(stdout)).toEqual(args);
});

it('runs the program under the pid it announced', async () => {
  const { pid, stdout } = await run('sh', ['-c', 'echo $$']);
  expect(Number(stdout)).toBe(pid);
});

it('makes the program lead its own group', async () => {
  const { pid, stdout } = await run('sh', ['-c', 'ps -o pgid= -p $$']);
  expect(Number(stdout)).toBe(pid);
});

it('gives the program its directory and its environment', async () => {
  const env = { PATH: process.env.PATH, GREETING: 'good  morning' };
  const { stdout } = await run('sh', ['-c', 'pwd; printf %s "$GREETING$HOME"'], { cwd: folder, env });
  expect(stdout).toBe(`${folder}\ngood  morning`);
});

it('does not leak the gate into the program', async () => {
  const { stdout } = await run('sh', ['-c', 'if (: >&3) 2>/dev/null; then echo open; else echo closed; fi']);
  expect(stdout).toBe('closed\n');
});

it('hands over stdin, stdout, stderr and the exit code', async () => {
  const { child, release } = await spawnGated('sh', ['-c', 'cat; echo words >&2; exit 7']);
  const ended = once(child, 'close');
  child.stdin.end('written before the release');
  release();
  expect(await Promise.all([text(child.stdout), text(child.stderr)])).toEqual([
    'written before the release',
    'words\n',
  ]);
  expect((await ended)[0]).toBe(7);
});

it('runs nothing before the release', async () => {
  const { child, ref } = await spawnGated('touch', [join(folder, 'ran')]);
  const ended = once(child, 'exit');
  expect(await endGroup(ref, { graceMs: 5000 })).toBe(true);
  expect(await ended).toEqual([null, 'SIGTERM']);
  expect(existsSync(join(folder, 'ran'))).toBe(false);
});

it('releasing twice, or after the end, does nothing', async () => {
  const { child, release } = await spawnGated('true', []);
  const ended = once(child, 'exit');
  release();
  release();
  expect((await ended)[0]).toBe(0);
  release();
});

it('finds commands on the PATH of the program, not on ours', async () => {
  await writeFile(join(folder, 'greet'), '#!/bin/sh\necho hello\n');
  await chmod(join(folder, 'greet'), 0o755);
  expect((await run('greet', [], { env: { PATH: `/nowhere:${folder}` } })).stdout).toBe('hello\n');
  expect((await run('./greet', [], { cwd: folder })).stdout).toBe('hello\n');
});

it('names a command that is not on the PATH', async () => {
  await expect(spawnGated('no-such-program', [])).rejects.toMatchObject({
    code: 'SPAWN_FAILED',
    message: expect.stringMatching(/^cannot start "no-such-program": it was not found on PATH \(.+\)$/),
  });
});

it('names a command that is a directory, has no right to run, or is empty', async () => {
  await writeFile(join(folder, 'plain'), '');
  const failure = (end: string) => ({ code: 'SPAWN_FAILED', message: expect.stringMatching(end) });
  await expect(spawnGated(folder, [])).rejects.toMatchObject(failure('was not found'));
  await expect(spawnGated('./plain', [], { cwd: folder })).rejects.toMatchObject(failure('is not executable$'));
  await expect(spawnGated('', [])).rejects.toMatchObject(failure('was not found'));
});

it('names a directory that does not exist', async () => {
  const cwd = join(folder, 'missing');
  await expect(spawnGated('true', [], { cwd })).rejects.toMatchObject({
    code: 'SPAWN_FAILED',
    message: `cannot start "true": its directory ${cwd} does not exist`,
  });
});

it('turns what the system refuses into SPAWN_FAILED with its cause', async () => {
  await expect(spawnGated('true', ['nul\0byte'])).rejects.toMatchObject({
    code: 'SPAWN_FAILED',
    cause: expect.any(TypeError),
  });
});

it('leaves nothing behind when the starter is killed before the release', async () => {
  const program = programPath('spawn-and-wait.js');
  const mark = join(folder, 'ran');
  const starter = spawn(process.execPath, [program, `touch ${mark}; sleep 1000`], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = await once(starter.stdout, 'data');
  const ref: ProcessRef = JSON.parse(String(line));
  expect(isAlive(ref)).toBe(true);
  starter.kill('SIGKILL');
  await once(starter, 'exit');
  await expect.poll(() => isAlive(ref), { interval: 5, timeout: 10_000 }).toBe(false);
  expect(existsSync(mark)).toBe(false);
});
