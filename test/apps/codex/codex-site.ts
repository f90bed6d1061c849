import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openSqliteStore, type Store } from 'holdfast';
import { until } from 'holdfast/testing';
import { onTestFinished } from 'vitest';
import type { CodexState } from '../../../dist/apps/codex/state.js';
import { startCli } from '../../cli/run-cli.ts';
import { type Execution, FAKE_CODEX, readLines } from './open-codex.ts';

export interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: { readonly [key: string]: unknown };
  readonly result?: { readonly [key: string]: unknown };
  readonly error?: { readonly code: number; readonly message: string };
}

/** `holdfast codex` on stdio, spoken to line by line. */
export interface CodexProcess {
  /** Everything that came and was not the answer to a request, in order. */
  readonly news: readonly Message[];
  /** Everything that came, in order. */
  readonly all: readonly Message[];
  request(method: string, params: object, id?: string | number): Promise<Message>;
  /** Gives Codex a prompt. */
  run(prompt: string, meta?: object, id?: string | number): Promise<Message>;
  kill(): Promise<void>;
}

/** A home directory with a project in it, and servers and workers that end with the test. */
export interface CodexSite {
  readonly dir: string;
  readonly project: string;
  readonly env: Readonly<Record<string, string>>;
  readonly store: Store;
  /** What a host of UI apps sends along. */
  readonly chatos: object;
  /** Starts a server in the project. */
  start(...args: string[]): Promise<CodexProcess>;
  startIn(cwd: string, options?: { readonly args?: readonly string[]; readonly env?: object }): Promise<CodexProcess>;
  executions(): Execution[];
  state(): Promise<CodexState>;
  /** Result prompts in the log, as texts by their request. */
  prompts(): Promise<readonly { readonly requestId: string; readonly text: string }[]>;
  workerPid(): Promise<number>;
}

export async function openCodexSite(): Promise<CodexSite> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-codex-site-')));
  const project = join(dir, 'project');
  const stateDir = join(dir, 'state');
  const dataDir = join(stateDir, 'data');
  await Promise.all([project, dataDir].map((path) => mkdir(path, { recursive: true })));
  const log = join(dir, 'executions.jsonl');
  const env = {
    HOME: dir,
    HOLDFAST_DIR: join(dir, 'holdfast'),
    HOLDFAST_CODEX: FAKE_CODEX,
    FAKE_CODEX_LOG: log,
  };
  const store = await openSqliteStore({ path: join(env.HOLDFAST_DIR, 'holdfast', 'codex_app', 'tasks.db') });
  const servers: CodexProcess[] = [];
  onTestFinished(async () => {
    await Promise.all(servers.map((server) => server.kill()));
    await endWorkers(store);
    await store.close();
    await rm(dir, { recursive: true });
  });
  const startIn: CodexSite['startIn'] = async (cwd, { args = [], env: more = {} } = {}) => {
    const server = await startCodex(args, { env: { ...env, ...more }, cwd });
    servers.push(server);
    return server;
  };
  return {
    dir,
    project,
    env,
    store,
    chatos: { uiApp: { projectRoot: project, stateDir, dataDir } },
    start: (...args) => startIn(project, { args }),
    startIn,
    executions: () => readLines(log),
    state: async () => JSON.parse(await readFile(join(dataDir, 'codex_app_state.v1.json'), 'utf8')) as CodexState,
    async prompts() {
      const text = await readFile(join(stateDir, 'ui-prompts.jsonl'), 'utf8').catch(() => '');
      const entries = text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
      return entries.map(({ requestId, prompt }) => ({ requestId, text: prompt.markdown }));
    },
    async workerPid() {
      const find = async () => (await store.workers.list()).find(({ state }) => state === 'ready')?.process?.pid;
      return until(find, { what: 'the worker' });
    },
  };
}

async function startCodex(args: readonly string[], place: { env: NodeJS.ProcessEnv; cwd: string }) {
  const child = startCli(['codex', ...args], place.env, place.cwd);
  const exit = once(child, 'exit');
  child.stderr.resume();
  // What is written to a server that was killed goes nowhere.
  child.stdin.on('error', () => {});
  const all: Message[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => void all.push(JSON.parse(line) as Message));
  let last = 0;
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const request: CodexProcess['request'] = async (method, params, id = ++last) => {
    send({ id, method, params });
    return until(() => all.find((message) => message.id === id), {
      what: `the answer to ${method}`,
      timeoutMs: 60_000,
    });
  };
  const clientInfo = { name: 'raw', version: '1' };
  await request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  send({ method: 'notifications/initialized' });
  return {
    all,
    get news() {
      return all.filter(({ method }) => method !== undefined);
    },
    request,
    run: (prompt: string, _meta: object = {}, id?: string | number) =>
      request('tools/call', { name: 'codex_app_window_run', arguments: { prompt }, _meta }, id),
    async kill() {
      child.kill('SIGKILL');
      await exit;
    },
  };
}

async function endWorkers(store: Store): Promise<void> {
  for (const { process: ref } of await store.workers.list()) {
    try {
      if (ref) process.kill(ref.pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
}
