import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openSqliteStore, type Store } from 'holdfast';
import { until } from 'holdfast/testing';
import { onTestFinished } from 'vitest';
import { type CliResult, runCli } from '../cli/run-cli.ts';
import { programPath } from '../programs/program-path.js';
import type { Message } from './raw-client.ts';

const PROGRAM = programPath('whoami-server.js');
const PATIENT = { timeoutMs: 60_000 };

/** One entry in a client's configuration: the same program with variables and words of its own. */
export interface Entry {
  stderr(): string;
  /** The text that a tool returns. */
  call(tool: string): Promise<string>;
  /** Makes a task of a tool; its id. */
  begin(tool: string): Promise<string>;
  /** The text that a task ended with, whoever made it. */
  result(taskId: string): Promise<string>;
  /** Kills the server, and nothing else. */
  kill(): Promise<void>;
}

/** One store directory, and the servers of one program on it. */
export interface Entries {
  readonly folder: string;
  readonly store: Store;
  plan(plan: object): Promise<void>;
  start(env: NodeJS.ProcessEnv, ...words: string[]): Promise<Entry>;
  /** Kills every worker there is. */
  killWorkers(): Promise<void>;
  /** Lets `later` return. */
  go(): Promise<void>;
  cli(...args: string[]): Promise<CliResult>;
  /** All that lies in the store directory: names of files, and what is in them. */
  readAll(): Promise<string>;
}

export async function openEntries(): Promise<Entries> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-entries-'));
  const store = await openSqliteStore({ path: join(folder, 'tasks.db') });
  const entries: Entry[] = [];
  const killWorkers = async () => {
    const pids = (await store.workers.list()).flatMap(({ process: ref }) => (ref ? [ref.pid] : []));
    for (const pid of pids) process.kill(pid, 'SIGKILL');
  };
  onTestFinished(async () => {
    // One that is only just being started is not known by its process yet.
    await until(async () => (await store.workers.list()).every(({ state }) => state !== 'starting'), PATIENT);
    await Promise.all(entries.map((entry) => entry.kill()));
    await killWorkers().catch(() => {});
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });
  return {
    folder,
    store,
    plan: (plan) => writeFile(join(folder, 'plan.json'), JSON.stringify(plan)),
    async start(env, ...words) {
      const entry = await startEntry([PROGRAM, folder, ...words], env);
      entries.push(entry);
      return entry;
    },
    killWorkers,
    go: () => writeFile(join(folder, 'go'), ''),
    cli: (...args) => runCli(['tasks', ...args, '--store', folder]),
    async readAll() {
      const found = await readdir(folder, { recursive: true, withFileTypes: true });
      const files = found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
      const texts = await Promise.all(files.map((path) => readFile(path, 'latin1').catch(() => '')));
      return [...files, ...texts].join('\n');
    },
  };
}

async function startEntry(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Entry> {
  const child = spawn(process.execPath, [...args], { env: { ...process.env, ...env } });
  const exit = once(child, 'exit');
  const messages: Message[] = [];
  createInterface(child.stdout).on('line', (line) => messages.push(JSON.parse(line)));
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const post = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  let count = 0;
  const send = async (method: string, params: object): Promise<Record<string, unknown>> => {
    const id = ++count;
    post({ id, method, params });
    const answer = await until(() => messages.find((one) => one.id === id), {
      what: `${method}: ${stderr}`,
      ...PATIENT,
    });
    if (answer.result) return answer.result;
    throw new Error(answer.error?.message);
  };
  const clientInfo = { name: 'raw', version: '1' };
  await send('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  post({ method: 'notifications/initialized' });
  return {
    stderr: () => stderr,
    call: async (tool) => toText(await send('tools/call', { name: tool, arguments: {} })),
    async begin(tool) {
      const { task } = await send('tools/call', { name: tool, arguments: {}, task: {} });
      return (task as { taskId: string }).taskId;
    },
    result: async (taskId) => toText(await send('tasks/result', { taskId })),
    async kill() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await exit;
    },
  };
}

function toText({ content }: Record<string, unknown>): string {
  return (content as { text: string }[])[0]?.text ?? '';
}
