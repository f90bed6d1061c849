import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { basename } from 'node:path';
import { type Readable, Transform, type Writable } from 'node:stream';
import { TaskError } from '../../errors.ts';
import {
  endGroup,
  type GatedOptions,
  type GatedProcess,
  type SpawnOptions,
  spawnGated,
} from '../../process/process-group.ts';
import type { ProcessRef } from '../../process/process-ref.ts';
import type { Lease } from '../../store/contracts/task-contract.ts';
import type { WorkerRegistry } from '../../store/contracts/worker-contract.ts';
import type { ProcessBody } from '../../task/event.ts';

export type { SpawnOptions } from '../../process/process-group.ts';

/** How a tool spawns a program. */
export interface SpawnTaskProcessOptions extends SpawnOptions {
  /** How long the program may take to exit after SIGTERM, when the attempt ends first. @default 2000 */
  readonly graceMs?: number;
  /** Whether its start and exit are events of the task. A tool may prefer to emit events of its own. @default true */
  readonly events?: boolean;
}

/** A program started by a tool. */
export interface TaskProcess {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when the program has exited and its output is complete. */
  readonly exit: Promise<ProcessExit>;
  /** Resolves when the program itself has exited; processes it started may still hold its output open. */
  readonly ended: Promise<ProcessExit>;
}

/** How a program exited: with a code, or by a signal. */
export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ProcessHooks {
  /** Throws when the lease is lost; called right before a program is released to run. */
  check(): Promise<void>;
  /** Retries a write for as long as trouble with the store may pass. */
  persist(write: () => Promise<boolean>): Promise<void>;
  /** Called for everything the programs print. */
  readonly onOutput?: () => void;
  /** Called when a program starts, and when it exits by itself or is ended. */
  readonly onLifecycleEvent?: (event: ProcessBody) => void;
}

const GRACE_MS = 2000;

interface Group {
  readonly graceMs: number;
  /** Whether its program has been released to run. */
  isRunning: boolean;
  /** Resolves when the group has ended. */
  ending?: Promise<void>;
}

/**
 * The process groups of one attempt.
 *
 * A group is in the registry before its program starts, so that the recovery of a dead worker can end it. Every group is
 * ended with the attempt, however that ends, and none starts afterwards.
 */
export class TaskProcesses {
  readonly #lease: Lease;
  readonly #workers: WorkerRegistry;
  readonly #hooks: ProcessHooks;
  readonly #groups = new Map<ProcessRef, Group>();
  readonly #starting = new Set<Promise<unknown>>();
  #isOver = false;

  constructor(lease: Lease, workers: WorkerRegistry, hooks: ProcessHooks) {
    this.#lease = lease;
    this.#workers = workers;
    this.#hooks = hooks;
  }

  async spawn(command: string, args: readonly string[], options?: SpawnTaskProcessOptions): Promise<TaskProcess> {
    const child = await this.start(command, args, options);
    if (options?.events !== false) this.#emitLifecycle(child, command);
    return toTaskProcess(child, this.#hooks.onOutput);
  }

  /** Like `spawn`, but returns the bare child process. */
  async start(
    command: string,
    args: readonly string[],
    options?: SpawnTaskProcessOptions & GatedOptions,
  ): Promise<ChildProcessWithoutNullStreams> {
    const starting = spawnGated(command, args, options).then((gated) => this.#admit(gated, options));
    this.#starting.add(starting);
    try {
      return await starting;
    } finally {
      this.#starting.delete(starting);
    }
  }

  /**
   * Ends every group, including those that are starting, and resolves when no member is left. Running groups are ended at
   * once: a starting group waits for the store, which may not respond.
   */
  async end(): Promise<void> {
    this.#isOver = true;
    const running = [...this.#groups].filter(([, { isRunning }]) => isRunning);
    const started = Promise.allSettled(this.#starting).then(() => this.#endEach([...this.#groups.keys()]));
    await Promise.all([this.#endEach(running.map(([ref]) => ref)), started]);
  }

  /**
   * Also ends the groups that those programs started under the same lease.
   *
   * Only call it while no other attempt can run the task: the registry does not distinguish the groups of two attempts.
   */
  async endAll(): Promise<void> {
    await this.end();
    const groups = await this.#workers.groups(this.#lease.worker);
    const ours = groups.filter(({ taskId }) => taskId === this.#lease.taskId);
    await Promise.all(ours.map((ref) => this.#endAndUntrack(ref)));
  }

  /** Emits the program's name and not its arguments, which may hold secrets. */
  #emitLifecycle(child: ChildProcessWithoutNullStreams, command: string): void {
    const { onLifecycleEvent } = this.#hooks;
    const { pid } = child;
    if (!onLifecycleEvent || pid === undefined) return;
    onLifecycleEvent({ type: 'spawned', pid, command: basename(command) });
    child.once('exit', (code, signal) => onLifecycleEvent({ type: 'exited', pid, code, signal }));
  }

  async #admit(gated: GatedProcess, options?: SpawnTaskProcessOptions): Promise<ChildProcessWithoutNullStreams> {
    const { child, ref, release } = gated;
    const group: Group = { graceMs: options?.graceMs ?? GRACE_MS, isRunning: false };
    this.#groups.set(ref, group);
    try {
      await this.#hooks.persist(() => this.#track(ref));
      await this.#hooks.check();
      this.#throwIfOver();
    } catch (error) {
      await this.#end(ref);
      throw error;
    }
    // A program that exits before it has read its input is no error of the tool.
    child.stdin.on('error', () => {});
    group.isRunning = true;
    release();
    return child;
  }

  async #track(ref: ProcessRef): Promise<boolean> {
    this.#throwIfOver();
    await this.#workers.track({ ...ref, workerId: this.#lease.worker, taskId: this.#lease.taskId });
    return true;
  }

  #throwIfOver(): void {
    if (this.#isOver) throw new TaskError('LEASE_LOST', 'the attempt is over; nothing can be started any more');
  }

  async #endEach(refs: readonly ProcessRef[]): Promise<void> {
    await Promise.all(refs.map((ref) => this.#end(ref)));
  }

  /** Later callers wait for the same end. */
  async #end(ref: ProcessRef): Promise<void> {
    const group = this.#groups.get(ref);
    if (!group) return;
    group.ending ??= this.#endAndUntrack(ref, group.graceMs).finally(() => this.#groups.delete(ref));
    await group.ending;
  }

  async #endAndUntrack(ref: ProcessRef, graceMs = GRACE_MS): Promise<void> {
    const gone = await endGroup(ref, { graceMs });
    // A group that could not be ended stays in the registry: the next recovery tries again.
    if (gone) await this.#workers.untrack(this.#lease.worker, ref.pid);
  }
}

/** Wraps a started program for its tool; `onOutput` is called for everything it prints. */
export function toTaskProcess(child: ChildProcessWithoutNullStreams, onOutput?: () => void): TaskProcess {
  const on = (event: 'exit' | 'close') =>
    new Promise<ProcessExit>((resolve) => {
      child.once(event, (code: number | null, signal: NodeJS.Signals | null) => resolve({ code, signal }));
    });
  return {
    pid: child.pid as number,
    stdin: child.stdin,
    stdout: onOutput ? tap(child, child.stdout, onOutput) : child.stdout,
    stderr: onOutput ? tap(child, child.stderr, onOutput) : child.stderr,
    exit: on('close'),
    ended: on('exit'),
  };
}

function tap(child: ChildProcessWithoutNullStreams, output: Readable, onOutput: () => void): Readable {
  const listen = new Transform({
    transform(chunk, _encoding, pass) {
      onOutput();
      pass(null, chunk);
    },
  });
  // As Node does with its own streams: unread output would keep an exited program from emitting 'close'.
  child.once('exit', () => process.nextTick(() => listen.resume()));
  return output.pipe(listen);
}
