/** An app in this process whose tools answer through the log of prompts, and a look at what it writes. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type HoldfastServer, openSqliteStore, type ServerOptions, type Store } from 'holdfast';
import { until } from 'holdfast/testing';
import { z } from 'zod';
import type { StoredTask } from '../../../src/dialects/ui-prompts/task-store/task-store.ts';
import { beatHere } from '../../beat-here.ts';
import { type Heard, openPlain, type PlainClient } from '../plain-client.ts';

export interface Prompt {
  readonly requestId: string;
  readonly prompt: { readonly kind: string; readonly markdown: string; readonly resultStatus: string };
}

export interface PromptRig {
  /** The only root of its clients' directories; the store lies in a folder of it. */
  readonly dir: string;
  /** The database. */
  readonly store: string;
  readonly url: string;
  readonly view: Store;
  /** What tools noted, one line per run. */
  readonly runs: readonly string[];
  /** What the server reported so far. */
  readonly errors: unknown[];
  connect(): Promise<PlainClient>;
  /** Calls `run` of the app on a connection of its own, or on this one. */
  call(taskId: string, args?: object, options?: { client?: PlainClient; meta?: object; tool?: string }): Promise<Heard>;
  open(gate: string): void;
  /** Closes the server and starts another one on the same store. */
  restart(options?: Partial<ServerOptions>): Promise<void>;
  prompts(log?: string): Promise<Prompt[]>;
  /** The prompts of a task, once there is one and the outbox is empty: all there will ever be. */
  untilTold(taskId: string, log?: string): Promise<Prompt[]>;
  stored(taskId: string): Promise<StoredTask | undefined>;
  untilStored(taskId: string, status: StoredTask['status']): Promise<StoredTask>;
  close(): Promise<void>;
}

const STORE = 'app_state.v1.json';

export async function openPrompts(options: Partial<ServerOptions> = {}): Promise<PromptRig> {
  const dir = await mkdtemp(join(tmpdir(), 'holdfast-prompts-'));
  const path = join(dir, 'store', 'tasks.db');
  const view = await openSqliteStore({ path });
  const [runs, errors, gates] = [[] as string[], [] as unknown[], new Set<string>()];
  const start = async (more: Partial<ServerOptions> = {}) => {
    const store = await openSqliteStore({ path });
    const server = createServer({
      name: 'app',
      version: '1.0.0',
      identity: 'app',
      workers: 'inline',
      shutdownGraceMs: 500,
      promptRoots: [dir],
      store: beatHere(store),
      onError: (error) => void errors.push(error),
      ...options,
      ...more,
    });
    addTools(server, { runs, gates });
    const listening = await server.listen({ port: 0, unprotected: true });
    const close = async () => {
      await listening.close();
      await server.close();
      await store.close();
    };
    return { url: listening.url, close };
  };
  let serving = await start();
  let line: Promise<PlainClient> | undefined;
  const connect = () => openPlain(serving.url);
  const read = (name: string) => readFile(join(dir, name), 'utf8').catch(() => '');
  const prompts = async (log = 'ui-prompts.jsonl') => {
    const lines = (await read(log)).split('\n').filter((one) => one !== '');
    return lines.map((one) => JSON.parse(one) as Prompt);
  };
  const isDelivered = async () => {
    const { nextDueAt } = await view.outbox.take({ topics: ['ui-prompts'], max: 0, holdMs: 0 });
    return nextDueAt === undefined;
  };
  const stored = async (taskId: string) => {
    const { mcpTasks } = JSON.parse((await read(STORE)) || '{"mcpTasks":[]}') as { mcpTasks: StoredTask[] };
    return mcpTasks.find(({ id }) => id === taskId);
  };
  return {
    dir,
    store: path,
    view,
    get url() {
      return serving.url;
    },
    runs,
    errors,
    connect,
    async call(taskId, args = {}, { client, meta = {}, tool = 'run' } = {}) {
      line ??= connect();
      const uiApp = { stateDir: dir, dataDir: dir };
      return (client ?? (await line)).call(tool, args, { meta: { taskId, chatos: { uiApp }, ...meta } });
    },
    open: (gate) => void gates.add(gate),
    async restart(more) {
      await serving.close();
      serving = await start(more);
      line = undefined;
    },
    prompts,
    async untilTold(taskId, log) {
      const ofTask = async () => (await prompts(log)).filter(({ requestId }) => requestId === taskId);
      const isTold = async () => (await ofTask()).length > 0 && (await isDelivered());
      await until(isTold, { what: `the prompt of ${taskId}`, timeoutMs: 60_000 });
      return ofTask();
    },
    stored,
    untilStored: (taskId, status) =>
      until(async () => [await stored(taskId)].find((task) => task?.status === status), {
        what: `${taskId} ${status}`,
      }),
    async close() {
      await serving.close();
      await view.close();
      await rm(dir, { recursive: true });
    },
  };
}

interface Notes {
  readonly runs: string[];
  readonly gates: ReadonlySet<string>;
}

const asyncTask = { stateFileName: STORE };

function addTools(server: HoldfastServer, { runs, gates }: Notes): void {
  const note = (taskId: string) => void runs.push(taskId);
  server.tool('run', {
    input: z.object({ gate: z.string().optional(), result: z.any().optional(), error: z.string().optional() }),
    asyncTask,
    async run({ gate, result = 'done', error }, task) {
      note(task.taskId);
      if (gate !== undefined) {
        await until(() => gates.has(gate) || task.signal.aborted, { what: `gate ${gate}`, timeoutMs: 60_000 });
        task.signal.throwIfAborted();
      }
      if (error !== undefined) throw new Error(error);
      return result;
    },
  });
  server.tool('slow', {
    asyncTask,
    maxRunMs: 50,
    run: (_args, task) => new Promise((_resolve, reject) => task.signal.addEventListener('abort', () => reject())),
  });
  server.tool('single', {
    input: z.object({ gate: z.string() }),
    asyncTask,
    concurrency: 1,
    async run({ gate }) {
      await until(() => gates.has(gate), { what: `gate ${gate}`, timeoutMs: 60_000 });
      return 'one at a time';
    },
  });
  server.tool('ask', {
    asyncTask,
    async run(_args, task) {
      const { sure } = await task.ask({ message: 'Sure?', schema: z.object({ sure: z.boolean() }) });
      return `sure: ${sure}`;
    },
  });
  server.tool('keyed', { asyncTask: { taskIdKey: 'jobKey' }, run: () => 'keyed' });
  server.tool('quick', { task: 'never', input: z.object({ error: z.string().optional() }), asyncTask, run: runQuick });
  server.tool('upfront', {
    asyncTask,
    upfront: () => ({ sure: { message: 'Sure?', schema: z.object({ sure: z.boolean() }) } }),
    run: (_args, { upfront }) => JSON.stringify(upfront),
  });
}

function runQuick({ error }: { error?: string | undefined }): string {
  if (error !== undefined) throw new Error(error);
  return 'at once';
}
