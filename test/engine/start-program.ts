import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import {
  type Access,
  createAccess,
  type EngineOptions,
  OPERATOR,
  openSqliteStore,
  type Store,
  type Task,
} from 'holdfast';
import { until } from 'holdfast/testing';
import { onTestFinished } from 'vitest';

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
  readonly access: Access;
  start(options?: ProgramOptions): Program;
  get(taskId: string): Promise<Task>;
  /** The runs noted so far. */
  runs(): Promise<Run[]>;
  untilRuns(count: number): Promise<Run[]>;
  /** Makes the file that tools wait for. */
  touch(name: string): Promise<void>;
}

export interface ProgramOptions extends Partial<Omit<EngineOptions, 'outbox'>> {
  readonly outbox?: string;
}

export interface Program {
  readonly child: ChildProcessWithoutNullStreams;
  readonly stderr: Promise<string>;
  submit(tool: string, args?: object, options?: object): Promise<string>;
  /** Lets it close its engine and end. */
  end(): Promise<void>;
  kill(): Promise<void>;
}

const engineProgram = fileURLToPath(new URL('../programs/engine-program.js', import.meta.url));

export async function openSite(): Promise<Site> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-site-'));
  const store = await openSqliteStore({ path: join(folder, 'tasks.db') });
  const programs: Program[] = [];
  const runs = async () => {
    if (!existsSync(join(folder, 'runs.txt'))) return [];
    const lines = (await readFile(join(folder, 'runs.txt'), 'utf8')).trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line) as Run);
  };
  onTestFinished(async () => {
    await Promise.all(programs.map((program) => program.kill()));
    await endWorkers(store);
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });
  return {
    folder,
    store,
    access: createAccess(store),
    start(options = {}) {
      const program = toProgram([engineProgram, folder, JSON.stringify(options)]);
      programs.push(program);
      return program;
    },
    get: (taskId) => createAccess(store).get(taskId, { principal: OPERATOR }),
    runs,
    untilRuns: (count) => until(async () => ((await runs()).length >= count ? runs() : undefined)),
    touch: (name) => writeFile(join(folder, name), ''),
  };
}

/** Starts Node and talks to it in lines. */
export function toProgram(args: readonly string[]): Program {
  const child = spawn(process.execPath, [...args]);
  const exit = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    stderr: text(child.stderr),
    async submit(tool, input = {}, options = {}) {
      child.stdin.write(`${JSON.stringify(['submit', tool, input, options])}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error('the program ended before it answered');
      return value;
    },
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
  for (const { process: ref } of await store.workers.list()) {
    if (ref && ref.pid !== process.pid && (await isRunning(ref.pid))) process.kill(ref.pid, 'SIGKILL');
  }
}
