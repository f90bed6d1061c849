import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import type { Store } from '../store/contract.ts';
import type { Build } from '../store/worker-contract.ts';
import { makeToken } from '../task/id.ts';
import { toCommandLine, toWorkerEnv } from './worker-process.ts';

export interface DetachedWorkerOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly identity: string;
  readonly build: Build;
  readonly leaseMs: number;
  /** How long a new worker may take to register. */
  readonly startMs: number;
  /** There can be no detached worker; says why. */
  onImpossible(why: string): void;
}

type CommandLine = NonNullable<ReturnType<typeof toCommandLine>>;

const LOOK_MS = 50;
const LARGEST_LOG_BYTES = 10_000_000;

/**
 * Sees to it that the identity has its one detached worker.
 *
 * The worker is the user's own command line run again. Its place is reserved in the store before it is spawned, so
 * that several serving processes start one worker between them.
 */
export class DetachedWorker {
  readonly #options: DetachedWorkerOptions;
  #ensuring: Promise<void> | undefined;

  constructor(options: DetachedWorkerOptions) {
    this.#options = options;
  }

  /** Starts a worker if there is none; calls that come meanwhile join. */
  ensure(): Promise<void> {
    this.#ensuring ??= this.#start().finally(() => {
      this.#ensuring = undefined;
    });
    return this.#ensuring;
  }

  /** Resolves when no worker is being started. */
  async settled(): Promise<void> {
    await this.#ensuring?.catch(() => {});
  }

  async #start(): Promise<void> {
    const { store, identity, build, leaseMs, onImpossible } = this.#options;
    if (await this.#exists()) return;
    const line = toCommandLine();
    if (!line) return onImpossible('this program has no entry file that could be run again');
    if (process.platform === 'win32') return onImpossible('detached workers need POSIX process groups');
    const workerId = makeToken();
    const reserved = await store.workers.reserve({ workerId, identity, kind: 'detached', build, leaseMs });
    if (reserved.kind === 'exists') return;
    const failure = await this.#spawn(line, workerId);
    if (failure === undefined) return;
    await store.workers.retire(workerId, { ifIdle: false });
    onImpossible(failure);
  }

  /** A quick look, without a write: the usual case is that the worker is there. */
  async #exists(): Promise<boolean> {
    const { store, identity, build } = this.#options;
    const workers = await store.workers.list(identity);
    return workers.some(
      (worker) =>
        worker.kind === 'detached' &&
        worker.state !== 'draining' &&
        (worker.build.id === build.id || worker.build.at > build.at),
    );
  }

  /** Resolves when the worker has registered, or with the reason why it has not. */
  async #spawn(line: CommandLine, workerId: string): Promise<string | undefined> {
    let child: ChildProcess;
    try {
      child = this.#run(line, workerId);
    } catch (error) {
      // The directory is gone, the log cannot be written, or there is no room for another process.
      return toFailure(error);
    }
    child.unref();
    return this.#registration(child, workerId);
  }

  #run(line: CommandLine, workerId: string): ChildProcess {
    const { store, identity, startMs } = this.#options;
    const log = openLog(store.directory, identity);
    try {
      return spawn(line.command, [...line.args], {
        cwd: process.cwd(),
        env: toWorkerEnv({ role: 'detached', workerId, identity, startMs }),
        detached: true,
        stdio: ['ignore', log ?? 'ignore', log ?? 'ignore'],
      });
    } finally {
      if (log !== undefined) closeSync(log);
    }
  }

  async #registration(child: ChildProcess, workerId: string): Promise<string | undefined> {
    const { store, clock, identity, startMs } = this.#options;
    const ended = new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(toFailure(error)));
      child.once('exit', (code, signal) =>
        resolve(`the worker ended (${signal ?? `code ${code}`}) before it registered`),
      );
    });
    const deadline = clock.monotonic() + startMs;
    while (clock.monotonic() < deadline) {
      const look = new Promise<void>((resolve) => clock.after(LOOK_MS, resolve));
      const failure = await Promise.race([ended, look]);
      const worker = (await store.workers.list(identity)).find((one) => one.workerId === workerId);
      // A worker that found nothing to do may have come and gone already.
      if (worker?.state === 'ready' || (worker === undefined && child.exitCode === 0)) return undefined;
      if (typeof failure === 'string') return failure;
    }
    child.kill('SIGKILL');
    return `the worker did not register within ${startMs} ms; does the program reach engine.start()?`;
  }
}

function toFailure(error: unknown): string {
  return `the worker could not be started: ${error instanceof Error ? error.message : String(error)}`;
}

function openLog(directory: string | undefined, identity: string): number | undefined {
  if (directory === undefined) return undefined;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, `worker-${identity}.log`);
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > LARGEST_LOG_BYTES) renameSync(path, `${path}.1`);
  return openSync(path, 'a', 0o600);
}
