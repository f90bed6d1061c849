import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { until } from 'holdfast/testing';
import { expect, onTestFinished } from 'vitest';
import { programPath } from '../programs/program-path.js';
import type { Message } from '../server/open-http.ts';
import type { AtEnd } from '../shared-rig.ts';
import type { TaskShape } from './open-2025.ts';

const PROGRAM = programPath('tasks-2025-server.js');

export interface PipeOptions {
  readonly env?: Record<string, string>;
  /** The server's option `taskResult`. */
  readonly taskResult?: object;
  readonly name?: string;
  readonly capabilities?: object;
  readonly protocolVersion?: string;
  /** Until when it runs. @default the end of the test */
  readonly atEnd?: AtEnd;
}

type Params = Record<string, unknown>;

/** The pipes of a server process, in raw lines. */
export interface RawPipe {
  /** Everything the server wrote so far. */
  readonly messages: readonly Message[];
  stderr(): string;
  /** Writes text as it is. */
  write(text: string): void;
  post(message: object): void;
  until(test: (message: Message) => boolean, what: string): Promise<Message>;
  send(method: string, params?: unknown): Promise<Message>;
}

/** A client of 2025-11-25 on them. */
export interface Pipe extends RawPipe {
  /** What `initialize` answered. */
  readonly welcome: Params;
  start(tool: string, given?: { args?: object; task?: object; _meta?: object }): Promise<TaskShape>;
  /** The result of a task, by `tasks/result` with these parameters. */
  result(taskId: string, params?: Params): Promise<Message>;
  release(gate?: string): Promise<void>;
}

/** Starts a server and says nothing to it yet. */
export async function openRawPipe({
  env = {},
  taskResult = {},
  atEnd = onTestFinished,
}: PipeOptions = {}): Promise<RawPipe> {
  const dir = await mkdtemp(join(tmpdir(), 'holdfast-stdio-2025-'));
  const child = spawn(process.execPath, [PROGRAM, dir, JSON.stringify(taskResult)], {
    env: { ...process.env, ...env },
    stdio: 'pipe',
  });
  atEnd(async () => {
    child.stdin.end();
    const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
    await until(hasEnded, { what: 'the server to end', timeoutMs: 60_000 });
    expect(child.signalCode).toBeNull();
    await rm(dir, { recursive: true });
  });
  const messages: Message[] = [];
  createInterface(child.stdout).on('line', (line) => messages.push(JSON.parse(line)));
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const write = (text: string) => void child.stdin.write(text);
  const post = (message: object) => write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const untilSeen: RawPipe['until'] = (test, what) => until(() => messages.find(test), { what, timeoutMs: 60_000 });
  let count = 0;
  return {
    messages,
    stderr: () => stderr,
    write,
    post,
    until: untilSeen,
    send(method, params) {
      const id = `${method}:${++count}`;
      post({ id, method, ...(params !== undefined && { params }) });
      return untilSeen((message) => message.id === id && message.method === undefined, `the answer to ${id}`);
    },
  };
}

/** Starts a server and shakes hands with it. */
export async function openPipe(options: PipeOptions = {}): Promise<Pipe> {
  const { name = 'raw', capabilities = { elicitation: {} }, protocolVersion = '2025-11-25' } = options;
  const pipe = await openRawPipe(options);
  const clientInfo = { name, version: '1' };
  const { result } = await pipe.send('initialize', { protocolVersion, capabilities, clientInfo });
  pipe.post({ method: 'notifications/initialized' });
  return {
    ...pipe,
    welcome: result as Params,
    async start(tool, { args = {}, task = {}, _meta } = {}) {
      const params = { name: tool, arguments: args, task, ...(_meta && { _meta }) };
      const created = await pipe.send('tools/call', params);
      expect(created.error).toBeUndefined();
      return created.result?.task as TaskShape;
    },
    result: (taskId, params = {}) => pipe.send('tasks/result', { taskId, ...params }),
    async release(gate = '') {
      await pipe.send('tools/call', { name: 'release', arguments: { gate } });
    },
  };
}
