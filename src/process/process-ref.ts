/**
 * A process that can be told from a later one with the same pid, and from one of another machine or container.
 */
import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { readProcess } from './process-table.ts';

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
  if (ref.host !== currentHost()) return undefined;
  if (!isPidTaken(ref.pid)) return false;
  const entry = readProcess(ref.pid);
  // Taken but not shown: hidden from this user, or ended a moment ago.
  if (entry === undefined) return isPidTaken(ref.pid) ? undefined : false;
  if (entry.ended) return false;
  return ref.startTime === '' ? undefined : entry.startTime === ref.startTime;
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
