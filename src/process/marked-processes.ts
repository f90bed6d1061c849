/**
 * Programs that are known by a mark in the environment they were started with, and ended one by one.
 *
 * They share the session, and often the process group, of whoever started them, so no group is signalled: each process is
 * looked at. What has opened a session of its own (a daemon, a detached worker) has left on purpose and is let alone.
 *
 * Where environments or sessions cannot be read (anything but Linux), only the first process counts, by its start time.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { isAlive, type ProcessRef } from './process-ref.ts';
import { hasVariable, listProcesses, type ProcessEntry, readProcess } from './process-table.ts';

/** Set in every program that is started with a mark, and inherited by what it starts. */
export const MARK_VARIABLE = 'HOLDFAST_CHILD';

export interface Marked {
  /** The value of the variable; nobody else's program has the same. */
  readonly mark: string;
  /** The session in which it was started; none where that cannot be told. */
  readonly session?: number | undefined;
  /** The first process, when it is known. */
  readonly ref?: ProcessRef | undefined;
}

export interface EndMarkedOptions {
  /** How long they may take to end by themselves, and again after SIGTERM. */
  readonly graceMs: number;
}

/** The session that programs started by this process are in, unless they leave it. */
export function currentSession(): number | undefined {
  return readProcess(process.pid)?.session;
}

/** Pids of the living processes that bear the mark. */
function findMarked({ mark, session, ref }: Marked): number[] {
  if (process.platform !== 'linux') return ref && isAlive(ref) === true ? [ref.pid] : [];
  return listMarked(mark, (entry) => entry.session === session).map(({ pid }) => pid);
}

/** The session of a program that was started in one of its own: that of the oldest, because it has started whatever else bears the mark. */
export function findOwnSession(mark: string): number | undefined {
  const toAge = ({ startTime }: ProcessEntry) => Number(startTime.split('/').at(-1));
  const leaders = listMarked(mark, (entry) => entry.session === entry.pid);
  return leaders.sort((a, b) => toAge(a) - toAge(b) || a.pid - b.pid)[0]?.pid;
}

function listMarked(mark: string, isNear: (entry: ProcessEntry) => boolean): ProcessEntry[] {
  const near = listProcesses().filter((entry) => !entry.ended && entry.pid > 1 && isNear(entry));
  return near.filter(({ pid }) => hasVariable(pid, MARK_VARIABLE, mark) === true);
}

/** Waits for them to end, then ends them: SIGTERM, and SIGKILL for what is left. True when none is left. */
export async function endMarked(marked: Marked, { graceMs }: EndMarkedOptions): Promise<boolean> {
  if (await whenGone(marked, { ms: graceMs })) return true;
  // A stopped process sees SIGTERM only once it goes on.
  for (const name of ['SIGTERM', 'SIGCONT'] as const) signal(findMarked(marked), name);
  if (await whenGone(marked, { ms: graceMs })) return true;
  // Again on every look: one may have started another just before it was killed.
  return whenGone(marked, { ms: VANISH_MS, onLook: (pids) => signal(pids, 'SIGKILL') });
}

/** How long to wait for killed processes to vanish; one stuck in the kernel may take for ever. */
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
      // Gone already, or not ours to signal: the next look tells.
    }
  }
}
