import { closeSync, constants, fstatSync, readSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectorySync } from '../../make-directory-sync.ts';
import { openPlainFileSync } from '../../process/plain-file.ts';

const MAX_LOG_BYTES = 10_000_000;
// Enough for an error with its stack.
const END_BYTES = 16_384;
const END_LINES = 30;

/** Returns the path of the log of a program's detached worker. */
export function toLogPath(directory: string, identity: string): string {
  return join(directory, `worker-${identity}.log`);
}

export interface WorkerLog {
  readonly path: string;
  /** The file descriptor that the worker prints to. */
  readonly file: number;
  /** Where the output of this worker begins. */
  readonly offset: number;
}

/** Opens the log of a detached worker, beside the store; `undefined` when the store is not on disk. */
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

/** Returns the line that explains best why a worker ended: its error, or what it printed last. */
export function findErrorLine({ path, offset }: Pick<WorkerLog, 'path' | 'offset'>): string | undefined {
  const lines = readEnd(path, offset)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^(at |Node\.js v)/.test(line));
  const line =
    lines.findLast((one) => /^(holdfast: |(Uncaught )?\w*(Error|Exception)\b|[A-Z_]+: )/.test(one)) ?? lines.at(-1);
  return line?.replace(/^holdfast: /, '').slice(0, MAX_LINE);
}

/** Returns the last lines of a log; `undefined` when there are none. */
export function readLogEnd(path: string): string[] | undefined {
  const lines = readEnd(path).slice(-END_LINES);
  return lines.some((line) => line !== '') ? lines : undefined;
}

/** Returns the lines at the end of a log, none from before `offset`. */
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
    // It was rotated meanwhile or cannot be read, which must not prevent the recovery of its worker.
    return [];
  }
}
