/**
 * Programs in process groups of their own, started so that none is ever orphaned, and ended reliably.
 *
 * A gated program is first a small shell that waits for one line on a pipe; only then does it become the program, under the same
 * pid. The process that starts it records its reference before releasing it. If the starter dies in between, the pipe closes and
 * the shell exits: no program runs unrecorded.
 *
 * The shell passes the environment on, but some shells (dash) drop variables whose names are not valid shell names. A file that
 * cannot be executed after all (say, its interpreter is missing) exits with 126 or 127 and the shell's message on stderr.
 *
 * Windows has no gate and no group: the program starts at once, only the process that started it can end it, by `taskkill /T /F`
 * on its tree, and there is nothing to recover after a crash.
 */
import { type ChildProcessWithoutNullStreams, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { TaskError } from '../errors.ts';
import { findCommand } from './find-command.ts';
import { GROUP_VARIABLE, type GroupView, TREE_VARIABLE, toMarker, viewGroup } from './group-view.ts';
import { type ProcessRef, toProcessRef } from './process-ref.ts';
import { listProcesses } from './process-table.ts';

/** How to start a program. */
export interface SpawnOptions {
  /** The working directory. @default the current directory */
  readonly cwd?: string;
  /** The whole environment. @default that of this process */
  readonly env?: NodeJS.ProcessEnv;
  /**
   * Whether programs that it starts in sessions of their own, daemons included, end with it too. Linux only: elsewhere only the
   * group ends.
   *
   * @default false
   */
  readonly wholeTree?: boolean;
}

/** Options for Holdfast's own programs. */
export interface GatedOptions extends SpawnOptions {
  /** Whether the program gets a pipe to this process as its file descriptor 4. @default false */
  readonly hasNewsPipe?: boolean;
}

/** A program behind its gate. It leads its own process group: `ref.pid` is the number of the group. */
export interface GatedProcess {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ref: ProcessRef;
  /** Lets the program start. Call it once the reference is stored durably; later calls do nothing. */
  release(): void;
}

/** Spawns a gated program with piped stdio; it starts only when released. Throws `SPAWN_FAILED` when it cannot be spawned. */
export async function spawnGated(
  command: string,
  args: readonly string[],
  options: GatedOptions = {},
): Promise<GatedProcess> {
  const { cwd = process.cwd(), env = process.env, wholeTree = false, hasNewsPipe = false } = options;
  if (isWindows) return spawnUngated(await start(command, () => spawn(command, args, { cwd, env, stdio: 'pipe' })));
  const file = await findCommand(command, { cwd, path: env.PATH });
  const child = await start(command, () =>
    spawn('/bin/sh', ['-c', wholeTree ? TREE_GATE : GATE, file, ...args], {
      cwd,
      env,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe', 'pipe', ...(hasNewsPipe ? (['pipe'] as const) : [])],
    }),
  );
  // Read before the event loop turns: until then, even a child that has exited is not reaped.
  const ref = toProcessRef(child.pid as number);
  return { child, ref, release: toRelease(child.stdio[3] as Writable, ref) };
}

/**
 * Ends a group: SIGTERM, then SIGKILL for what remains after `graceMs`. Resolves with `true` when the last member is really gone
 * (zombies count as gone), or with `false` when that fails or cannot be determined from here.
 *
 * Never signals another group that has the same number.
 */
export async function endGroup(ref: ProcessRef, options: { readonly graceMs: number }): Promise<boolean> {
  return (await endGroups([ref], options)).get(ref) === 'gone';
}

/** Ends several groups in parallel and returns the final state of each: `ours` means that it did not exit. */
export async function endGroups(
  refs: readonly ProcessRef[],
  options: { readonly graceMs: number },
): Promise<ReadonlyMap<ProcessRef, GroupView['state']>> {
  if (isWindows) return endTrees(refs);
  const states = new Map<ProcessRef, GroupView['state']>(refs.map((ref) => [ref, 'ours']));
  const seen = new Set<ProcessRef>();
  if (options.graceMs > 0) await waitWhileOurs(states, { ms: options.graceMs, seen, onLook: terminate });
  // Repeated on every check: a member may have started another one just before it was killed.
  await waitWhileOurs(states, { ms: VANISH_MS, seen, onLook: (groups) => signal(groups, 'SIGKILL') });
  return states;
}

/**
 * Kills a group synchronously and without checks, for a process that exits now and cannot wait.
 *
 * Only for groups that this process started and has not seen end: the number is not checked.
 */
export function killGroupNow(pid: number): void {
  if (isWindows) spawnSync('taskkill', toTaskkillArgs(pid), { stdio: 'ignore' });
  else signal([pid], 'SIGKILL');
}

const isWindows = process.platform === 'win32';

// The marker is passed through the gate because it contains the pid and start time of this very shell.
const READ_MARKER = `IFS= read -r ${GROUP_VARIABLE} <&3 || exit 125; export ${GROUP_VARIABLE}; exec 3<&-`;
const GATE = `${READ_MARKER}; exec "$0" "$@"`;
const TREE_GATE = `${READ_MARKER}; export ${TREE_VARIABLE}="$${GROUP_VARIABLE}"; exec "$0" "$@"`;

/** How long to wait for killed processes to vanish; one that is stuck in the kernel may never do so. */
const VANISH_MS = 5000;
const MIN_LOOK_MS = 5;
const MAX_LOOK_MS = 100;

type Piped = ReturnType<typeof spawn>;

async function start(command: string, spawnIt: () => Piped): Promise<ChildProcessWithoutNullStreams> {
  try {
    const child = spawnIt();
    if (child.pid === undefined) throw (await once(child, 'error'))[0];
    return child as ChildProcessWithoutNullStreams;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new TaskError('SPAWN_FAILED', `cannot start ${JSON.stringify(command)}: ${why}`, { cause: error });
  }
}

function toRelease(gate: Writable, ref: ProcessRef): () => void {
  // The shell may have been killed while it waited at the gate; its exit event reports that.
  gate.on('error', () => {});
  return () => {
    if (!gate.writableEnded) gate.end(`${toMarker(ref)}\n`);
  };
}

function terminate(groups: readonly number[], round: number): void {
  if (round > 0) return;
  signal(groups, 'SIGTERM');
  // A stopped process handles SIGTERM only once it is continued.
  signal(groups, 'SIGCONT');
}

interface Wait {
  readonly ms: number;
  /** Groups that an earlier check found to be ours. */
  readonly seen: Set<ProcessRef>;
  readonly onLook: (groups: readonly number[], round: number) => void;
}

/** Checks the groups that are still ours repeatedly, until none is or the time is over; each check lists the processes once. */
async function waitWhileOurs(states: Map<ProcessRef, GroupView['state']>, wait: Wait): Promise<void> {
  const until = performance.now() + wait.ms;
  for (let round = 0, pauseMs = MIN_LOOK_MS; ; round++, pauseMs = Math.min(pauseMs * 2, MAX_LOOK_MS)) {
    const left = [...states].filter(([, state]) => state === 'ours').map(([ref]) => ref);
    if (left.length === 0) return;
    const listed = listProcesses();
    for (const ref of left) {
      const view = viewGroup(ref, listed);
      // A member that is just exiting shows its mark no more, and is gone in a moment.
      if (view.state === 'unclear' && wait.seen.has(ref)) continue;
      states.set(ref, view.state);
      if (view.state !== 'ours') continue;
      wait.seen.add(ref);
      wait.onLook(view.groups, round);
    }
    const leftMs = until - performance.now();
    if (leftMs <= 0 || ![...states.values()].includes('ours')) return;
    await delay(Math.min(pauseMs, leftMs));
  }
}

function signal(groups: readonly number[], name: NodeJS.Signals): void {
  for (const group of groups) {
    // 0 would be our own group, and 1 every process of the system.
    if (!Number.isInteger(group) || group <= 1) continue;
    try {
      process.kill(-group, name);
    } catch {
      // Gone already, or not ours to signal: the next check shows which.
    }
  }
}

const startedHere = new Set<number>();

function spawnUngated(child: ChildProcessWithoutNullStreams): GatedProcess {
  const pid = child.pid as number;
  startedHere.add(pid);
  child.once('exit', () => startedHere.delete(pid));
  return { child, ref: toProcessRef(pid), release: () => {} };
}

async function endTrees(refs: readonly ProcessRef[]): Promise<Map<ProcessRef, GroupView['state']>> {
  const states = refs.map(async (ref) => [ref, (await endTree(ref.pid)) ? 'gone' : 'unclear'] as const);
  return new Map(await Promise.all(states));
}

async function endTree(pid: number): Promise<boolean> {
  if (!startedHere.has(pid)) return false;
  return promisify(execFile)('taskkill', toTaskkillArgs(pid)).then(
    () => true,
    () => false,
  );
}

function toTaskkillArgs(pid: number): string[] {
  return ['/PID', String(pid), '/T', '/F'];
}
