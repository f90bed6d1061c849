import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  createTaskClient,
  type EngineOptions,
  OPERATOR,
  openSqliteStore,
  type Store,
  type Task,
  type TaskClient,
} from 'holdfast';
import { until } from 'holdfast/testing';
import { onTestFinished } from 'vitest';
import { programPath } from '../../programs/program-path.js';
import { readLines } from '../../read-lines.ts';

/** One line of `runs.txt`. */
export interface Run {
  readonly what: string;
  readonly taskId: string;
  readonly attempt: number;
  readonly pid: number;
  readonly isWorker: boolean;
}

/** A store in a folder, and the programs that serve it. */
export interface Site {
  readonly folder: string;
  readonly store: Store;
  readonly access: TaskClient;
  start(options?: ProgramOptions, run?: RunOptions): Program;
  get(taskId: string): Promise<Task>;
  /** The runs noted so far. */
  runs(): Promise<Run[]>;
  untilRuns(count: number): Promise<Run[]>;
  /** Makes the file that tools wait for. */
  touch(name: string): Promise<void>;
}

export interface ProgramOptions extends Partial<Omit<EngineOptions, 'outbox'>> {
  /** The key of its codec; without one it has none. */
  readonly codecKey?: { readonly id: string; readonly key: string };
  readonly outbox?: string;
  /** Whether it refuses to be run again as a worker. */
  readonly onlyOnce?: boolean;
}

/** How Node is run. */
export interface RunOptions {
  readonly execArgv?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

export interface Program {
  readonly child: ChildProcessWithoutNullStreams;
  /** All that it printed there, once it has ended. */
  readonly stderr: Promise<string>;
  untilStderr(part: string): Promise<unknown>;
  submit(tool: string, args?: object, options?: object): Promise<string>;
  /** Sends one line and returns the next one it prints. */
  say(line: string): Promise<string>;
  /** Lets it close its engine and end. */
  end(): Promise<void>;
  kill(): Promise<void>;
}

const engineProgram = programPath('engine-program.js');

export async function openSite(open?: (folder: string) => Promise<Store>): Promise<Site> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-site-'));
  const store = await (open?.(folder) ?? openSqliteStore({ path: join(folder, 'tasks.db') }));
  const programs: Program[] = [];
  const runs = async () => readLines(join(folder, 'runs.txt')).map((line) => JSON.parse(line) as Run);
  onTestFinished(async () => {
    await Promise.all(programs.map((program) => program.kill()));
    await endWorkers(store);
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });
  return {
    folder,
    store,
    access: createTaskClient(store),
    start(options = {}, { execArgv = [], env } = {}) {
      const program = toProgram([...execArgv, engineProgram, folder, JSON.stringify(options)], env);
      programs.push(program);
      return program;
    },
    get: (taskId) => createTaskClient(store).get(taskId, { principal: OPERATOR }),
    runs,
    untilRuns: (count) =>
      until(async () => ((await runs()).length >= count ? runs() : undefined), { timeoutMs: 60_000 }),
    touch: (name) => writeFile(join(folder, name), ''),
  };
}

/** Starts Node and talks to it in lines. */
export function toProgram(args: readonly string[], env: NodeJS.ProcessEnv = {}): Program {
  const child = spawn(process.execPath, [...args], { env: { ...process.env, ...env } });
  const exit = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let printed = '';
  child.stderr.setEncoding('utf8').on('data', (part) => {
    printed += part;
  });
  const say = async (line: string) => {
    child.stdin.write(`${line}\n`);
    const { value, done } = await lines.next();
    if (done) throw new Error(`the program ended before it answered: ${printed}`);
    return value;
  };
  return {
    child,
    stderr: once(child.stderr, 'close').then(() => printed),
    untilStderr: (part) => until(() => printed.includes(part), { timeoutMs: 60_000 }),
    say,
    submit: (tool, input = {}, options = {}) => say(JSON.stringify(['submit', tool, input, options])),
    async end() {
      child.stdin.end();
      await exit;
    },
    async kill() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await exit;
    },
  };
}

/** Whether a process is there and no zombie. */
export async function isRunning(pid: number): Promise<boolean> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3) !== 'Z';
  } catch {
    return false;
  }
}

async function endWorkers(store: Store): Promise<void> {
  // A store whose file the test took away names nobody any more.
  for (const { process: ref } of await store.workers.list().catch(() => [])) {
    if (ref && ref.pid !== process.pid && (await isRunning(ref.pid))) process.kill(ref.pid, 'SIGKILL');
  }
}
