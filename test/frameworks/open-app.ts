import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createTaskClient, openSqliteStore, type Store, type Task } from 'holdfast';
import { createHost, type Host } from 'holdfast/host';
import { until } from 'holdfast/testing';
import { expect, onTestFinished } from 'vitest';

/** A program that serves MCP at `/mcp` on the port in its environment, and prints its URL when it does. */
export interface AppProgram {
  /** The name of its server. */
  readonly name: string;
  readonly args: readonly string[];
  /** Which Node runs it. */
  readonly node?: string;
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** What it prints when it serves. @default a URL */
  readonly ready?: RegExp;
}

export interface App {
  readonly url: string;
  readonly store: Store;
  readonly host: Host;
  /** What the program has printed on stderr so far. */
  stderr(): string;
  pid(): number;
  start(): Promise<void>;
  /** Ends the serving process with SIGKILL; it is gone when this resolves. */
  kill(): Promise<void>;
  onlyTask(): Promise<Task>;
}

/** A store of its own, a host with a ledger of its own, and the program, started. */
export async function openApp(program: AppProgram): Promise<App> {
  const dir = await mkdtemp(join(tmpdir(), 'holdfast-app-'));
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}/mcp`;
  const env = { ...process.env, ...program.env, HOLDFAST_DIR: dir, PORT: String(port) };
  const store = await openSqliteStore({ path: join(dir, 'holdfast', program.name, 'tasks.db') });
  const tasks = createTaskClient(store);
  const host = await createHost({ ledger: join(dir, 'ledger.db') });
  let child: ChildProcess | undefined;
  let printed = '';
  const kill = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  onTestFinished(async () => {
    await host.close();
    await kill();
    await endWorkers(store);
    await store.close();
    await rm(dir, { recursive: true, maxRetries: 20, retryDelay: 100 });
  });
  const start = async () => {
    const { node = process.execPath, args, cwd = dir, ready = /^http:/m } = program;
    child = spawn(node, [...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stderr?.setEncoding('utf8').on('data', (part) => {
      printed += part;
    });
    await untilReady(child, ready, () => printed);
  };
  await start();
  await host.connect('app', { url });
  return {
    ...{ url, store, host, start, kill },
    stderr: () => printed,
    pid: () => child?.pid ?? 0,
    async onlyTask() {
      const { tasks: found } = await tasks.list();
      expect(found).toHaveLength(1);
      return found[0] as Task;
    },
  };
}

/** Calls a slow tool, kills the serving process in the middle, starts it again, and gets the result of the first run. */
export async function expectDurable(app: App, pages = 12): Promise<void> {
  const call = await app.host.call('app', 'render_report', { pages });
  const worker = await until(async () => {
    const [task] = [await app.onlyTask()];
    return task.progress && (await app.store.workers.list()).find(({ kind }) => kind === 'detached');
  });
  expect(worker.process?.pid).not.toBe(app.pid());
  await app.kill();
  expect((await app.onlyTask()).outcome).toBeUndefined();
  await app.start();
  expect(await call.outcome()).toMatchObject({
    kind: 'result',
    result: { content: [{ type: 'text', text: `${pages} pages rendered` }] },
  });
  await call.ack();
  // Nobody has run it but the worker that was there before.
  expect(await app.onlyTask()).toMatchObject({ status: 'completed', attempt: 1 });
  expect(app.stderr()).toBe('');
}

/** What a tool says, or how its call ended without a result. */
export async function textOf(app: App, tool: string, args: Record<string, string | number> = {}): Promise<string> {
  const call = await app.host.call('app', tool, args);
  const outcome = await call.outcome();
  await call.ack();
  return outcome.kind === 'result' ? toText(outcome.result) : JSON.stringify(outcome);
}

function toText(result: unknown): string {
  const { content } = result as { content: { text: string }[] };
  return content.map((one) => one.text).join();
}

async function untilReady(child: ChildProcess, ready: RegExp, toStderr: () => string): Promise<void> {
  if (!child.stdout) throw new Error('the program has no output');
  for await (const line of createInterface({ input: child.stdout })) if (ready.test(line)) return;
  throw new Error(`the program ended before it served: ${toStderr()}`);
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address ? address.port : 0;
}

/** They would stay for a while, in case there is more to do. */
async function endWorkers(store: Store): Promise<void> {
  for (const { process: ref } of await store.workers.list()) {
    try {
      if (ref && ref.pid !== process.pid) process.kill(ref.pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
}
