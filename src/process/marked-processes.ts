/**
 * Processes that are identified by a mark in the environment they were started with, and ended one by one.
 *
 * They share the session, and often the process group, of the process that started them, so no group is signalled: each process
 * is checked. A process that has opened a session of its own (a daemon, a detached worker) has left on purpose and is left
 * running.
 *
 * Where environments or sessions cannot be read (anything but Linux), only the first process counts, by its start time.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { isAlive, type ProcessRef } from './process-ref.ts';
import { hasVariable, listProcesses, type ProcessEntry, readProcess } from './process-table.ts';

/** Set in every program that is started with a mark, and inherited by its child processes. */
export const MARK_VARIABLE = 'HOLDFAST_CHILD';

export interface Marked {
  /** The value of the variable; no other program has the same. */
  readonly mark: string;
  /** The session in which it was started; absent where sessions cannot be read. */
  readonly session?: number | undefined;
  /** The first process, when it is known. */
  readonly ref?: ProcessRef | undefined;
}

export interface EndMarkedOptions {
  /** How long the processes may take to exit by themselves, and again after SIGTERM, in milliseconds. */
  readonly graceMs: number;
}

/** Returns the session that programs started by this process are in, unless they leave it. */
export function currentSession(): number | undefined {
  return readProcess(process.pid)?.session;
}

/** Returns the pids of the live processes that carry the mark. */
function findMarked({ mark, session, ref }: Marked): number[] {
  if (process.platform !== 'linux') return ref && isAlive(ref) === true ? [ref.pid] : [];
  return listMarked(mark, (entry) => entry.session === session).map(({ pid }) => pid);
}

/**
 * Returns the session of a program that was started in one of its own: that of the oldest process with the mark, because it has
 * started all others.
 */
export function findOwnSession(mark: string): number | undefined {
  const toAge = ({ startTime }: ProcessEntry) => Number(startTime.split('/').at(-1));
  const leaders = listMarked(mark, (entry) => entry.session === entry.pid);
  return leaders.sort((a, b) => toAge(a) - toAge(b) || a.pid - b.pid)[0]?.pid;
}

function listMarked(mark: string, isNear: (entry: ProcessEntry) => boolean): ProcessEntry[] {
  const near = listProcesses().filter((entry) => !entry.ended && entry.pid > 1 && isNear(entry));
  return near.filter(({ pid }) => hasVariable(pid, MARK_VARIABLE, mark) === true);
}

/** Waits for the processes to exit, then ends them: SIGTERM first, SIGKILL for the rest. Returns true when none remains. */
export async function endMarked(marked: Marked, { graceMs }: EndMarkedOptions): Promise<boolean> {
  if (await whenGone(marked, { ms: graceMs })) return true;
  // A stopped process handles SIGTERM only once it is continued.
  for (const name of ['SIGTERM', 'SIGCONT'] as const) signal(findMarked(marked), name);
  if (await whenGone(marked, { ms: graceMs })) return true;
  // Repeated on every check: a process may have started another one just before it was killed.
  return whenGone(marked, { ms: VANISH_MS, onLook: (pids) => signal(pids, 'SIGKILL') });
}

/** How long to wait for killed processes to vanish; one that is stuck in the kernel may never do so. */
const VANISH_MS = 5000;
const MIN_LOOK_MS = 5;
const MAX_LOOK_MS = 100;

interface Wait {
  readonly ms: number;
  readonly onLook?: (pids: readonly number[]) => void;
}

async function whenGone(marked: Marked, { ms, onLook }: Wait): Promise<boolean> {
  const until = performance.now() + ms;
  for (let pauseMs = MIN_LOOK_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_LOOK_MS)) {
    const pids = findMarked(marked);
    if (pids.length === 0) return true;
    onLook?.(pids);
    const leftMs = until - performance.now();
    if (leftMs <= 0) return false;
    await delay(Math.min(pauseMs, leftMs));
  }
}

function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // Gone already, or not ours to signal: the next check shows which.
    }
  }
}
