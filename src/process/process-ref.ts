/**
 * References to processes that distinguish a process from a later one with the same pid, and from one on another machine or in
 * another container.
 */
import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { readProcess } from './process-table.ts';

/** Identifies a process; a later process with the same pid has another reference. */
export interface ProcessRef {
  /** Host name and pid namespace: a pid is valid only within both. */
  readonly host: string;
  readonly pid: number;
  /** Opaque; empty when the system does not report it. */
  readonly startTime: string;
}

/** Returns a reference to this process. */
export function currentProcess(): ProcessRef {
  return toProcessRef(process.pid);
}

/** Returns a reference to a process of this host. */
export function toProcessRef(pid: number): ProcessRef {
  return { host: currentHost(), pid, startTime: readProcess(pid)?.startTime ?? '' };
}

/**
 * Whether exactly this process still runs; `undefined` when that cannot be determined from here.
 *
 * A zombie, and a pid that was reused by another process, count as dead.
 */
export function isAlive(ref: ProcessRef): boolean | undefined {
  const state = readState(ref);
  return state === undefined ? undefined : state !== 'gone';
}

/** Like `isAlive`, and also tells whether a signal or a debugger has stopped the process. */
export function readState(ref: ProcessRef): 'running' | 'stopped' | 'gone' | undefined {
  if (!isHere(ref)) return undefined;
  if (!isPidTaken(ref.pid)) return 'gone';
  const entry = readProcess(ref.pid);
  // The pid exists but has no entry: hidden from this user, or ended a moment ago.
  if (entry === undefined) return isPidTaken(ref.pid) ? undefined : 'gone';
  if (entry.ended) return 'gone';
  if (ref.startTime === '') return undefined;
  if (entry.startTime !== ref.startTime) return 'gone';
  return entry.stopped ? 'stopped' : 'running';
}

/** Whether the process is, or was, on this host and boot, so that it can be checked from here. */
export function isHere(ref: ProcessRef): boolean {
  return ref.host === currentHost() && !isOfOtherBoot(ref);
}

/**
 * Machines may share a name and the number of their pid namespace, but never a boot id. Whether a process of another boot ran
 * earlier on this machine, or runs on a machine of the same name, cannot be determined from here.
 */
function isOfOtherBoot({ startTime }: ProcessRef): boolean {
  const [boot, ticks] = startTime.split('/');
  const [ownBoot, ownTicks] = (readProcess(process.pid)?.startTime ?? '').split('/');
  return ticks !== undefined && ownTicks !== undefined && boot !== ownBoot;
}

/** Returns the scope in which the pids of this process are valid. */
export function currentHost(): string {
  return `${hostname()}/${pidNamespace()}`;
}

function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return process.platform;
  }
}

// Signal 0 only checks. EPERM means that the process exists and belongs to another user.
function isPidTaken(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
