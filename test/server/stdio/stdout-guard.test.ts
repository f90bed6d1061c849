import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { guardStdout } from '../../../src/server/stdio/stdout-guard.ts';
import { programPath } from '../../programs/program-path.js';

const toPath = (name: string) => programPath(name);
const NOISE = [
  'log { nested: [ 1, 2 ] }',
  'info',
  '│ (index) │ a │',
  '{ dir: true }',
  'group',
  'no newline',
  'bytes',
  'hex encoded',
  'with callback',
  'with both',
  'taken early\n',
  'taken early as a stream',
  'the end',
  'piped',
  'from a thread',
];

describe('a guarded stdout', () => {
  it('carries frames and nothing else, whatever a program does with it', async () => {
    const child = spawn(process.execPath, [toPath('stdout-noise.js')], { stdio: ['ignore', 'pipe', 'pipe'] });
    const [frames, noise, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    expect(code, noise.slice(-2000)).toBe(0);
    expectFrames(frames);
    expectNoise(noise);
  });

  it('does so too when it is a file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-stdout-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const [frames, noise] = [join(folder, 'out'), join(folder, 'err')];
    await using out = await open(frames, 'w');
    await using err = await open(noise, 'w');
    const child = spawn(process.execPath, [toPath('stdout-noise.js')], { stdio: ['ignore', out.fd, err.fd] });
    expect(await once(child, 'close')).toEqual([0, null]);
    expectFrames(await readFile(frames, 'utf8'));
    expectNoise(await readFile(noise, 'utf8'));
  });

  it('is as before after the last release', () => {
    const keys = () => Object.getOwnPropertyNames(process.stdout);
    const [names, { write, end }] = [keys(), process.stdout];
    const [first, second] = [guardStdout(), guardStdout()];
    first.release();
    first.release();
    expect(process.stdout.write).not.toBe(write);
    second.release();
    expect(keys()).toEqual(names);
    expect([process.stdout.write, process.stdout.end]).toEqual([write, end]);
  });

  it('leaves a wrapper that came later in place, and it works', () => {
    const { write } = process.stdout;
    onTestFinished(() => {
      process.stdout.write = write;
    });
    const guard = guardStdout();
    const guarded = process.stdout.write;
    const wrapper = ((...args: Parameters<typeof write>) => guarded.apply(process.stdout, args)) as typeof write;
    process.stdout.write = wrapper;
    guard.release();
    expect(process.stdout.write).toBe(wrapper);
    expect(process.stdout.write('')).toBe(true);
  });
});

describe('a server on real pipes', () => {
  it('answers between the noise of its tools, and ends with stdin', async () => {
    const server = startEcho();
    for (let id = 0; id < 100; id += 1) server.ask(id);
    for (let id = 0; id < 100; id += 1)
      expect(await server.next()).toEqual({ jsonrpc: '2.0', id, result: { method: 'm' } });
    const noise = text(server.child.stderr);
    server.child.stdin.end();
    expect(await server.closed).toEqual([0, null]);
    expect(await noise).toMatch(/closed\n$/);
  });

  it('outlives a host that reads no stderr', async () => {
    const server = startEcho();
    server.child.stderr.destroy();
    for (let id = 0; id < 100; id += 1) {
      server.ask(id);
      expect(await server.next()).toMatchObject({ id });
    }
    server.child.stdin.end();
    expect(await server.closed).toEqual([0, null]);
  });

  it('ends quietly when nobody reads stdout any more', async () => {
    const server = startEcho();
    const noise = text(server.child.stderr);
    server.ask(1);
    await server.next();
    server.child.stdout.destroy();
    server.ask(2);
    expect(await server.closed).toEqual([0, null]);
    expect(await noise).toContain('closed\n');
    expect(await noise).not.toMatch(/onerror|Error|EPIPE/);
  });
});

function startEcho() {
  const child = spawn(process.execPath, [toPath('stdio-echo.js')]);
  onTestFinished(() => void child.kill('SIGKILL'));
  // The host may write to a server that is gone.
  child.stdin.on('error', () => {});
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    child,
    closed: once(child, 'close'),
    ask: (id: number) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'm' })}\n`),
    next: async (): Promise<unknown> => JSON.parse((await lines.next()).value),
  };
}

function expectFrames(output: string): void {
  const lines = output.trimEnd().split('\n');
  expect(lines.pop()).toBe('released');
  const frames = lines.map((line) => JSON.parse(line));
  expect(frames.pop()).toEqual({ done: true });
  expect(frames.length).toBeGreaterThan(400);
  for (const frame of frames) {
    expect(frame).toEqual({ round: expect.any(Number), index: expect.any(Number), text: 'x'.repeat(10_000) });
  }
}

function expectNoise(noise: string): void {
  expect(NOISE.filter((words) => !noise.includes(words))).toEqual([]);
  expect(noise.includes('"round"'), 'a frame on stderr').toBe(false);
  expect(noise.split('piped\n').length - 1).toBe(100_000);
}
