import { closeSync, constants, fstatSync, readSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectorySync } from '../../make-directory-sync.ts';
import { openPlainFileSync } from '../../process/plain-file.ts';

const MAX_LOG_BYTES = 10_000_000;
// Enough for an error with its stack.
const END_BYTES = 16_384;
const END_LINES = 30;

/** Where the detached worker of a program prints to. */
export function toLogPath(directory: string, identity: string): string {
  return join(directory, `worker-${identity}.log`);
}

export interface WorkerLog {
  readonly path: string;
  /** For the worker to print to. */
  readonly file: number;
  /** Where what it prints begins. */
  readonly offset: number;
}

/** Opens the file that a detached worker prints to, beside the store; nothing when the store has no place on disk. */
export function openWorkerLog(directory: string | undefined, identity: string): WorkerLog | undefined {
  if (directory === undefined) return undefined;
  makeDirectorySync(directory);
  const path = toLogPath(directory, identity);
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > MAX_LOG_BYTES) renameSync(path, `${path}.1`);
  const { O_WRONLY, O_APPEND, O_CREAT } = constants;
  const { file } = openPlainFileSync(path, { flags: O_WRONLY | O_APPEND | O_CREAT });
  return { path, file, offset: fstatSync(file).size };
}

const MAX_LINE = 300;

/** The line that tells best why a worker ended: its error, or what it printed last. */
export function readLastWords({ path, offset }: Pick<WorkerLog, 'path' | 'offset'>): string | undefined {
  const lines = readEnd(path, offset)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^(at |Node\.js v)/.test(line));
  const line =
    lines.findLast((one) => /^(holdfast: |(Uncaught )?\w*(Error|Exception)\b|[A-Z_]+: )/.test(one)) ?? lines.at(-1);
  return line?.replace(/^holdfast: /, '').slice(0, MAX_LINE);
}

/** The last lines of a log; nothing when there are none. */
export function readLogEnd(path: string): string[] | undefined {
  const lines = readEnd(path).slice(-END_LINES);
  return lines.some((line) => line !== '') ? lines : undefined;
}

/** The lines at the end of a log, none from before `offset`. */
function readEnd(path: string, offset = 0): string[] {
  try {
    const { file } = openPlainFileSync(path, { flags: constants.O_RDONLY });
    try {
      const { size } = fstatSync(file);
      const from = Math.max(offset, size - END_BYTES);
      const bytes = Buffer.alloc(Math.max(0, size - from));
      const text = bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, from));
      return text
        .trimEnd()
        .split('\n')
        .slice(from > offset ? 1 : 0);
    } finally {
      closeSync(file);
    }
  } catch {
    // It was put aside meanwhile or cannot be read, which must not keep anybody from burying its worker.
    return [];
  }
}
