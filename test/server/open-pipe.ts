/** A server process, spoken to line by line. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { until } from 'holdfast/testing';
import { expect, onTestFinished } from 'vitest';
import { programPath } from '../programs/program-path.js';
import type { Message } from './open-http.ts';

const PROGRAM = programPath('stream-server.js');
const META = 'io.modelcontextprotocol/';

export interface Pipe {
  readonly child: ChildProcessWithoutNullStreams;
  /** All that came, in order. */
  readonly heard: Message[];
  /** What stands on stderr. */
  said(): string;
  send(message: object): void;
  /** Calls a tool; its answer. */
  call(name: string, args?: object, options?: { meta?: object; id?: string | number; task?: object }): Promise<Message>;
  /** Notifications of the call with this id, by now. */
  news(rpcId: string | number): Message[];
  /** The same when its `completed` has come. */
  whole(rpcId: string | number): Promise<Message[]>;
}

/** Starts the server of streamed runs; with `era` modern requests carry their envelope. */
export async function openPipe({
  dir = '',
  workers = 'inline',
  era = 'legacy' as 'legacy' | 'modern',
  tasks = false,
  onEnd = onTestFinished as (end: () => Promise<void>) => void,
} = {}): Promise<Pipe> {
  const child = spawn(process.execPath, [PROGRAM, dir, workers], { stdio: 'pipe' });
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += String(chunk);
  });
  onEnd(async () => {
    child.stdin.end();
    child.stdout.resume();
    await until(() => child.exitCode !== null, { what: 'the server to end', timeoutMs: 60_000 });
  });
  const heard: Message[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => heard.push(JSON.parse(line) as Message));
  const send = (message: object) => void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const answer = (id: string | number) =>
    until(() => heard.find((message) => message.id === id && !message.method), {
      what: `the answer to ${id}`,
      timeoutMs: 60_000,
    });
  const toMeta = (meta: object) => (era === 'legacy' ? meta : { ...meta, ...toEnvelope(tasks) });
  let last = 0;
  const pipe: Pipe = {
    child,
    heard,
    said: () => said,
    send,
    async call(name, args = {}, { meta = {}, id = ++last, task } = {}) {
      const params = { name, arguments: args, _meta: toMeta(meta), ...(task && { task }) };
      send({ id, method: 'tools/call', params });
      return answer(id);
    },
    news: (rpcId) => heard.filter(({ params }) => params?.rpcId === rpcId),
    async whole(rpcId) {
      const isEnd = ({ method = '' }: Message) => method.endsWith('.completed');
      await until(() => pipe.news(rpcId).some(isEnd), { what: `the end of ${rpcId}`, timeoutMs: 60_000 });
      return pipe.news(rpcId);
    },
  };
  if (era === 'legacy') await shakeHands(pipe, answer);
  return pipe;
}

async function shakeHands(pipe: Pipe, answer: (id: string) => Promise<Message>): Promise<void> {
  const clientInfo = { name: 'raw', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  pipe.send({ id: 'hello', method: 'initialize', params });
  expect(await answer('hello')).toHaveProperty('result');
  pipe.send({ method: 'notifications/initialized' });
}

function toEnvelope(tasks: boolean): object {
  return {
    [`${META}protocolVersion`]: '2026-07-28',
    [`${META}clientInfo`]: { name: 'raw', version: '1' },
    [`${META}clientCapabilities`]: tasks ? { extensions: { [`${META}tasks`]: {} } } : {},
  };
}
