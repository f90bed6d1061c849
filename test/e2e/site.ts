import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createTaskClient, openSqliteStore, type Store, type TaskClient } from 'holdfast';
import { until } from 'holdfast/testing';
import { onTestFinished } from 'vitest';
import { programPath } from '../programs/program-path.js';
import { readLines } from '../read-lines.ts';
import type { AtEnd } from '../shared-rig.ts';

/** A directory for a server's store; when the test ends its processes have ended too. */
export interface Site {
  readonly dir: string;
  /** How a client starts the server on stdio. */
  readonly command: { readonly command: string; readonly args: string[]; readonly stderr: 'inherit' };
  /** What the store says of tasks. */
  readonly tasks: TaskClient;
  /** Starts a server process that speaks HTTP, on a port that is free or the one given. */
  serve(port?: number): Promise<Serving>;
  /** What tools noted, one line per run. */
  runs(): string[];
  /** Waits until tools have noted this often that they run. */
  untilRuns(count: number): Promise<void>;
  /** Waits until no worker is registered; while a server is there to bury dead ones. */
  untilIdle(): Promise<void>;
  /** The process of the detached worker. */
  workerPid(): Promise<number>;
}

/** A server process on a port of its own. */
export interface Serving {
  readonly url: string;
  readonly pid: number;
  /** Ends it with SIGKILL; it is gone when this resolves. */
  kill(): Promise<void>;
}

/** Another store than a file in the directory, and what tells the programs of it; and until when it is there. */
export interface SiteStore {
  readonly openStore?: () => Promise<Store>;
  readonly env?: NodeJS.ProcessEnv;
  /** @default the end of the test */
  readonly atEnd?: AtEnd;
}

/** `find` says where its program lies: in the bundle of the tests, unless the package as it is shipped is meant. */
export async function openSite(
  program = 'reports-server',
  find = programPath,
  { openStore, env = {}, atEnd = onTestFinished }: SiteStore = {},
): Promise<Site> {
  const path = find(`${program}.js`);
  const dir = await mkdtemp(join(tmpdir(), 'holdfast-e2e-'));
  const store = await (openStore?.() ?? openSqliteStore({ path: join(dir, 'tasks.db') }));
  const servers: Serving[] = [];
  atEnd(async () => {
    await Promise.all(servers.map((server) => server.kill()));
    await until(async () => (await store.workers.list()).length === 0, { what: 'the worker to end' });
    await store.close();
    // A process that is ending may still write its last file while the others are removed.
    await rm(dir, { recursive: true, maxRetries: 20, retryDelay: 100 });
  });
  const notes = join(dir, 'runs.txt');
  // A file that has been made has no note yet.
  const runs = () => readLines(notes);
  return {
    dir,
    command: { command: process.execPath, args: [path, dir], stderr: 'inherit' },
    tasks: createTaskClient(store),
    async serve(port = 0) {
      const serving = await startServer([path, dir, 'http'], { ...env, PORT: String(port) });
      servers.push(serving);
      return serving;
    },
    runs,
    async untilRuns(count) {
      await until(() => runs().length >= count, { what: `${count} runs of tools` });
    },
    async untilIdle() {
      const isIdle = async () => (await store.workers.list()).length === 0;
      await until(isIdle, { what: 'the workers to leave', timeoutMs: 60_000 });
    },
    async workerPid() {
      const worker = await until(async () => (await store.workers.list()).find(({ state }) => state === 'ready'));
      return worker.process?.pid ?? 0;
    },
  };
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

async function startServer(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Serving> {
  const child: ChildProcess = spawn(process.execPath, [...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  const exit = once(child, 'exit');
  if (!child.stdout) throw new Error('the server has no output');
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  const url = await until(() => lines[0] ?? hasEnded(child), { what: `the address of ${args.join(' ')}` })
    .then((said) => (typeof said === 'string' ? said : Promise.reject(new Error('the server ended at its start'))))
    // Nobody else knows of it yet.
    .catch((error: unknown) => {
      child.kill('SIGKILL');
      throw error;
    });
  return {
    url,
    pid: child.pid ?? 0,
    async kill() {
      child.kill('SIGKILL');
      await exit;
    },
  };
}
