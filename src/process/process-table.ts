/**
 * Reads the process table of the operating system.
 *
 * Linux is read from /proc, macOS and the BSDs through `ps`. Windows, and a Linux whose /proc is missing or belongs to another
 * pid namespace, yield nothing: callers treat that as "cannot tell".
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface ProcessEntry {
  readonly pid: number;
  readonly group: number;
  /** Linux only. */
  readonly session?: number;
  /** Differs between two processes that had the same pid one after the other. */
  readonly startTime: string;
  /** A zombie: exited, but not yet reaped by its parent. */
  readonly ended: boolean;
  /** Stopped by a signal or a debugger: it runs nothing until it is continued. */
  readonly stopped: boolean;
}

/** Reads one process, zombies included; `undefined` when it does not exist or cannot be read. */
export function readProcess(pid: number): ProcessEntry | undefined {
  switch (findSource()) {
    case 'proc':
      return readProc(pid);
    case 'ps':
      return runPs(['-p', String(pid)])[0];
    case 'none':
      return undefined;
  }
}

/** Lists every visible process, zombies included. */
export function listProcesses(): ProcessEntry[] {
  switch (findSource()) {
    case 'proc':
      return listProc();
    case 'ps':
      return runPs(['-ax']);
    case 'none':
      return [];
  }
}

/** Whether a process was started with this variable; `undefined` when its environment cannot be read. */
export function hasVariable(pid: number, name: string, value: string): boolean | undefined {
  try {
    if (findSource() === 'proc') return readEnvironment(pid).split('\0').includes(`${name}=${value}`);
    // macOS prints the environment after the command, and only for the user's own unprotected programs.
    const shown = ps(['-E', '-ww', '-o', 'command=', '-p', String(pid)]);
    return shown.includes(`${name}=${value}`) || undefined;
  } catch {
    return undefined;
  }
}

/**
 * Reads an environment. Linux shows an empty one for a moment during `exec`, so an empty result is read again; that of a kernel
 * thread, or of a program started without variables, stays empty.
 */
function readEnvironment(pid: number): string {
  const read = () => readFileSync(`/proc/${pid}/environ`, 'latin1');
  let text = read();
  for (let pauseMs = 1; text === '' && pauseMs <= MAX_EMPTY_PAUSE_MS; pauseMs *= 2) {
    Atomics.wait(STILL, 0, 0, pauseMs);
    text = read();
  }
  return text;
}

const MAX_EMPTY_PAUSE_MS = 8;
const STILL = new Int32Array(new SharedArrayBuffer(4));

/** Returns the boot id of the running kernel on Linux; start times with another boot id belong to processes long gone. */
export function readBootId(): string {
  bootId ??= readOr('/proc/sys/kernel/random/boot_id', 'boot').trim();
  return bootId;
}

let bootId: string | undefined;
let source: 'proc' | 'ps' | 'none' | undefined;

function findSource(): 'proc' | 'ps' | 'none' {
  source ??=
    process.platform === 'linux' ? (isProcOurs() ? 'proc' : 'none') : process.platform === 'win32' ? 'none' : 'ps';
  return source;
}

// A container can see the /proc of its host, where our pids belong to other processes.
function isProcOurs(): boolean {
  try {
    return readlinkSync('/proc/self') === String(process.pid);
  } catch {
    return false;
  }
}

function listProc(): ProcessEntry[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => readProc(Number(pid)) ?? []);
}

// Field numbers are those of proc(5), which start at 1. The name in field 2 may contain anything, so counting starts after it.
function readProc(pid: number): ProcessEntry | undefined {
  const stat = readOr(`/proc/${pid}/stat`, '');
  if (stat === '') return undefined;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const field = (number: number) => fields[number - 3] ?? '';
  const threads = Number(field(20));
  return {
    pid,
    group: Number(field(5)),
    session: Number(field(6)),
    startTime: `${readBootId()}/${field(22)}`,
    // A program whose first thread has exited while others go on also shows Z.
    ended: 'ZXx'.includes(field(3)) && threads <= 1,
    stopped: 'Tt'.includes(field(3)),
  };
}

function readOr(path: string, otherwise: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return otherwise;
  }
}

function runPs(which: readonly string[]): ProcessEntry[] {
  const columns = ['pid=', 'pgid=', 'stat=', 'lstart='].flatMap((column) => ['-o', column]);
  try {
    return ps([...columns, ...which])
      .split('\n')
      .flatMap((line) => parsePsLine(line) ?? []);
  } catch {
    // `ps` exits with 1 when no process matches.
    return [];
  }
}

function parsePsLine(line: string): ProcessEntry | undefined {
  const [, pid, group, stat = '', startTime = ''] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*\S)\s*$/.exec(line) ?? [];
  if (pid === undefined) return undefined;
  return {
    pid: Number(pid),
    group: Number(group),
    startTime,
    ended: stat.startsWith('Z'),
    stopped: stat.startsWith('T'),
  };
}

// Fixed language and time zone: start times are compared as text between processes.
function ps(args: readonly string[]): string {
  const env = { PATH: '/bin:/usr/bin', LC_ALL: 'C', TZ: 'UTC' };
  return execFileSync('ps', args, { encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'ignore'] });
}
