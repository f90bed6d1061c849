import {
  createMemoryStore,
  createServer,
  createTaskClient,
  type HoldfastServer,
  OPERATOR,
  type ServerOptions,
  type Task,
} from 'holdfast';
import { expect } from 'vitest';
import { z } from 'zod';
import type { Scene } from '../../src/sandbox/run-as/scene.ts';
import { createStageClock, type StageClock } from './stage-clock.ts';

/** A whole server, as its owner would write it, on a clock on which minutes take no time. */
export interface Stage extends Scene {
  readonly clock: StageClock;
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** How often the work of this label was begun. */
  countRuns(label: string): number;
  /** The task of the call with this label. */
  findTask(label: string): Promise<Task>;
  /** Throws what the server reported meanwhile. */
  close(): Promise<void>;
}

// Between a question and the answer of a person.
const PERSON_MS = 20_000;

export async function openStage(options: Partial<ServerOptions> = {}): Promise<Stage> {
  const clock = createStageClock();
  const store = createMemoryStore({ clock });
  const tasks = createTaskClient(store, { clock });
  const runs: string[] = [];
  const errors: unknown[] = [];
  const server = createServer({
    name: 'reports',
    version: '1.0.0',
    workers: 'inline',
    shutdownGraceMs: 500,
    store,
    clock,
    identity: 'stage',
    secret: 'nobody knows this one',
    unprotected: true,
    concurrency: 1000,
    onError: (error) => void errors.push(error),
    ...options,
  });
  server.tool('ready', { run: () => 'ready' });
  server.tool('work', {
    input: z.object({ seconds: z.number(), label: z.string() }),
    estimateMs: ({ seconds }) => seconds * 1000,
    async run({ seconds, label }, task) {
      runs.push(label);
      await clock.elapse(seconds * 1000, task.signal);
      task.signal.throwIfAborted();
      return `worked ${seconds} s`;
    },
  });
  server.tool('paced', {
    pollIntervalMs: 250,
    run: (_, task) => clock.elapse(60_000, task.signal),
  });
  server.tool('confirm', {
    input: z.object({ label: z.string() }),
    async run({ label }, task) {
      runs.push(label);
      await clock.elapse(3000, task.signal);
      const { sure } = await task.ask({ message: 'Publish it?', schema: z.object({ sure: z.boolean() }) });
      return `sure: ${sure}`;
    },
  });
  await callReady(server);
  return {
    clock,
    url: 'http://localhost/mcp',
    headers: { host: 'localhost' },
    fetch: (input, init) => server.fetch(new Request(input, init)),
    async askPerson() {
      await clock.elapse(PERSON_MS);
      return { action: 'accept', content: { sure: true } };
    },
    countRuns: (label) => runs.filter((run) => run === label).length,
    async findTask(label) {
      const { tasks: all } = await tasks.list({ limit: 1000 }, { principal: OPERATOR });
      const found = all.find(({ args }) => JSON.stringify(args).includes(JSON.stringify(label)));
      return found ?? expect.unreachable(`no task of ${label}`);
    },
    async close() {
      await clock.drive(server.close());
      expect(errors, 'errors that the server reported').toEqual([]);
    },
  };
}

/** What is loaded and opened at the first call takes real time, which must not count as that of a client. */
async function callReady(server: HoldfastServer): Promise<void> {
  const headers = {
    host: 'localhost',
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'ready',
  };
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const params = { name: 'ready', arguments: {}, _meta };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const response = await server.fetch(new Request('http://localhost/mcp', { method: 'POST', headers, body }));
  expect(await response.text()).toContain('ready');
}
