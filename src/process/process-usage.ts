/**
 * Reads how much memory and how many file descriptors processes use.
 *
 * Linux is read from /proc, other systems through `ps`, which does not report descriptors; on Windows nothing is known.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessUsage {
  readonly rssBytes: number;
  readonly descriptors?: number;
}

/** Returns the total of these processes, ignoring those that are gone; `undefined` when nothing is known of any. */
export function readUsage(pids: readonly number[]): ProcessUsage | undefined {
  const found = pids.flatMap((pid) => readOne(pid) ?? []);
  if (found.length === 0) return undefined;
  const counted = found.flatMap(({ descriptors }) => descriptors ?? []);
  return {
    rssBytes: sum(found.map(({ rssBytes }) => rssBytes)),
    ...(counted.length > 0 && { descriptors: sum(counted) }),
  };
}

function readOne(pid: number): ProcessUsage | undefined {
  try {
    return process.platform === 'linux' ? readProc(pid) : readPs(pid);
  } catch {
    return undefined;
  }
}

function readProc(pid: number): ProcessUsage | undefined {
  const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  // A zombie has no memory any more.
  if (kib === undefined) return undefined;
  return { rssBytes: Number(kib) * 1024, descriptors: readdirSync(`/proc/${pid}/fd`).length };
}

function readPs(pid: number): ProcessUsage | undefined {
  if (process.platform === 'win32') return undefined;
  const text = execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8', stdio: 'pipe' });
  return { rssBytes: Number(text.trim()) * 1024 };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
