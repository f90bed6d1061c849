import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTaskClient, OPERATOR, openSqliteStore, type TaskClient } from 'holdfast';
import { until } from 'holdfast/testing';
import { type CodexServerOptions, openCodexServer } from '../../../dist/apps/codex/codex-server.js';
import type { CodexState } from '../../../dist/apps/codex/state.js';
import { beatHere } from '../../beat-here.ts';
import { programPath } from '../../programs/program-path.js';
import { postModern } from '../../server/open-http.ts';

export const FAKE_CODEX = programPath('fake-codex.js');

/** The answer to a call. */
export interface Answer {
  readonly result?: {
    readonly content: readonly { readonly type: string; readonly text?: string; readonly [key: string]: unknown }[];
    readonly structuredContent?: { readonly [key: string]: unknown };
    readonly isError?: boolean;
  };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** One start of the fake Codex, as it noted it. */
export interface Execution {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly prompt: string;
  readonly pid: number;
  readonly grandchild?: number;
}

/** A Codex app in this process, with the fake Codex; nothing is shared with other tests but the machine. */
export interface CodexRig extends AsyncDisposable {
  /** Where its store and its state lie. */
  readonly dir: string;
  /** Where Codex may work. */
  readonly root: string;
  readonly url: string;
  readonly tasks: TaskClient;
  /** Makes a directory to work in. */
  project(name: string): Promise<string>;
  /** Calls a tool as a client that knows no tasks; resolves with its answer, however long that takes. */
  call(tool: string, args?: object, meta?: object): Promise<Answer>;
  /** The same, as somebody who says who they are; for servers that verify. */
  as(subject: string): CodexRig['call'];
  /** Gives Codex a prompt in a directory. */
  run(prompt: string, workdir: string): Promise<Answer>;
  /** What the fake Codex noted, one entry for each start. */
  executions(): Execution[];
  /** The state file. */
  state(): Promise<CodexState>;
  /** What was reported in the background so far. */
  takeErrors(): unknown[];
}

/** The thread that the fake Codex with this pid begins. */
export function toThread(pid = 0): string {
  return `00000000-0000-7000-8000-${String(pid).padStart(12, '0')}`;
}

export async function openCodex(options: Partial<CodexServerOptions> = {}): Promise<CodexRig> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-codex-')));
  const [dir, root] = [join(base, 'state'), join(base, 'work')];
  await Promise.all([dir, root].map((path) => mkdir(path)));
  const store = await openSqliteStore({ path: join(dir, 'tasks.db') });
  const log = join(dir, 'executions.jsonl');
  process.env.FAKE_CODEX_LOG = log;
  let errors: unknown[] = [];
  const server = await openCodexServer({
    version: '1',
    workers: 'inline',
    store: beatHere(store),
    promptRoots: [base],
    onError: (error) => void errors.push(error),
    ...options,
    codex: { codexCommand: FAKE_CODEX, roots: [root], ...options.codex },
  });
  const { url, close } = await server.listen({ port: 0, unprotected: options.verify === undefined });
  const call: CodexRig['call'] = (name, args, meta) => post({ url, name }, args, meta);
  const as: CodexRig['as'] = (subject) => (name, args, meta) => post({ url, name, subject }, args, meta);
  return {
    dir,
    root,
    url,
    tasks: createTaskClient(store),
    async project(name) {
      const path = join(root, name);
      await mkdir(path);
      return path;
    },
    call,
    as,
    run: (prompt, workdir) => call('codex_app_window_run', { prompt }, { workdir, stream: false }),
    executions: () => readLines(log),
    state: async () => JSON.parse(await readFile(join(dir, 'codex_app_state.v1.json'), 'utf8')) as CodexState,
    takeErrors() {
      const taken = errors;
      errors = [];
      return taken;
    },
    async [Symbol.asyncDispose]() {
      if (process.env.FAKE_CODEX_LOG === log) delete process.env.FAKE_CODEX_LOG;
      await close();
      await server.close();
      await store.close();
      await rm(base, { recursive: true });
    },
  };
}

interface Called {
  readonly url: string;
  readonly name: string;
  readonly subject?: string;
}

async function post({ url, name, subject }: Called, args: object = {}, meta: object = {}): Promise<Answer> {
  const params = { name, arguments: args, _meta: meta };
  const headers: Record<string, string> = subject === undefined ? {} : { authorization: `Bearer ${subject}` };
  const response = await postModern(url, { method: 'tools/call', params, headers });
  // A call that took long is answered on a stream, whose last message is the answer.
  const text = (await response.text()).split('\n').findLast((line) => /^(data: )?\{/.test(line)) ?? '{}';
  return JSON.parse(text.replace(/^data: /, '')) as Answer;
}

/** For the option `verify`: everybody is who they say. */
export function toIdentity({ headers }: Request) {
  const subject = headers.get('authorization')?.replace('Bearer ', '');
  return subject === undefined ? undefined : { issuer: 'test', subject };
}

/** Waits until every run in the state file is over, and returns the state. */
export async function untilQuiet(rig: Pick<CodexRig, 'state' | 'tasks'>): Promise<CodexState> {
  return until(
    async () => {
      const state = await rig.state();
      const { tasks } = await rig.tasks.list({ limit: 1000 }, { principal: OPERATOR });
      const isOver = ({ status }: { readonly status: string }) => ['completed', 'failed', 'aborted'].includes(status);
      const isQuiet = state.mcpTasks.every(isOver) && state.windows.every(({ status }) => status === 'idle');
      return isQuiet && state.mcpTasks.length >= Math.min(tasks.length, 200) && state;
    },
    { what: 'all runs to be over in the state file' },
  );
}

/** Notes of the fake Codex in a file. */
export function readLines(file: string): Execution[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Execution]));
  } catch {
    return [];
  }
}
