/**
 * A process that can be told from a later one with the same pid, and from one of another machine or container.
 */
import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { readProcess } from './process-table.ts';

/** A process that cannot be taken for a later one with its number. */
export interface ProcessRef {
  /** Host name and pid namespace: pids mean something only within both. */
  readonly host: string;
  readonly pid: number;
  /** Opaque; empty when this system does not tell. */
  readonly startTime: string;
}

/** This process. */
export function currentProcess(): ProcessRef {
  return toProcessRef(process.pid);
}

/** A process of this host, by its pid. */
export function toProcessRef(pid: number): ProcessRef {
  return { host: currentHost(), pid, startTime: readProcess(pid)?.startTime ?? '' };
}

/**
 * Whether that very process still runs; `undefined` when it cannot be told from here.
 *
 * A zombie, and a pid that has passed to another process, count as dead.
 */
export function isAlive(ref: ProcessRef): boolean | undefined {
  const state = readState(ref);
  return state === undefined ? undefined : state !== 'gone';
}

/** As `isAlive`, and whether a signal or a debugger has stopped it. */
export function readState(ref: ProcessRef): 'running' | 'stopped' | 'gone' | undefined {
  if (!isHere(ref)) return undefined;
  if (!isPidTaken(ref.pid)) return 'gone';
  const entry = readProcess(ref.pid);
  // Taken but not shown: hidden from this user, or ended a moment ago.
  if (entry === undefined) return isPidTaken(ref.pid) ? undefined : 'gone';
  if (entry.ended) return 'gone';
  if (ref.startTime === '') return undefined;
  if (entry.startTime !== ref.startTime) return 'gone';
  return entry.stopped ? 'stopped' : 'running';
}

/** Whether that process is, or was, one of this host: one that can be looked at from here. */
export function isHere(ref: ProcessRef): boolean {
  return ref.host === currentHost() && !isOfOtherBoot(ref);
}

/**
 * Machines may share a name and the number of their pid namespace, but never a boot. Whether one of another boot is an earlier
 * one of this machine, or a machine of the same name that is alive, cannot be told from here.
 */
function isOfOtherBoot({ startTime }: ProcessRef): boolean {
  const [boot, ticks] = startTime.split('/');
  const [ownBoot, ownTicks] = (readProcess(process.pid)?.startTime ?? '').split('/');
  return ticks !== undefined && ownTicks !== undefined && boot !== ownBoot;
}

/** Where pids of this process are valid. */
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

// Signal 0 only asks. EPERM means that somebody else's process is there.
function isPidTaken(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
