/**
 * Checks files and hashes those that changed, away from the event loop.
 *
 * For small files most of the time is spent in file system calls, and synchronous calls cost a fraction of asynchronous ones.
 */
import { createHash, type Hash } from 'node:crypto';
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { fromThread, joinPath, type RawPath } from './raw-path.ts';

export interface HashRequest {
  readonly directory: RawPath;
  readonly names: readonly RawPath[];
  /** The stored size of each file; below 0 when there is no record. */
  readonly bytes: Float64Array;
  readonly mtimesMs: Float64Array;
}

export interface HashedFile {
  readonly at: number;
  readonly bytes: number;
  readonly mtimeMs: number;
  readonly checksum: string;
}

/** Why a file has no checksum: an error code of the system, or `changed`, `gone`, `stopped`. */
export interface UnhashedFile {
  readonly at: number;
  readonly why: string;
}

/** Files that are not mentioned are unchanged. */
export interface HashReply {
  readonly hashed: HashedFile[];
  readonly unhashed: UnhashedFile[];
}

const stop = new Int32Array(workerData as SharedArrayBuffer);
const block = Buffer.allocUnsafeSlow(262_144);
// Must not block on a pipe that replaced a file, and must not follow a link.
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const GONE = ['ENOENT', 'ENOTDIR', 'ELOOP'];

parentPort?.on('message', (request: HashRequest) => parentPort?.postMessage(work(request)));

function work(request: HashRequest): HashReply {
  const directory = fromThread(request.directory);
  const reply: HashReply = { hashed: [], unhashed: [] };
  for (const [at, name] of request.names.entries()) {
    try {
      const path = joinPath(directory, fromThread(name));
      const isKnown = (request.bytes[at] ?? -1) >= 0;
      if (isKnown && isSame(path, request, at)) continue;
      const result = isStopped() ? 'stopped' : hashFile(path);
      if (typeof result === 'string') reply.unhashed.push({ at, why: result });
      else reply.hashed.push({ at, ...result });
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? String(error);
      reply.unhashed.push({ at, why: GONE.includes(code) ? 'gone' : code });
    }
  }
  return reply;
}

function isSame(path: RawPath, { bytes, mtimesMs }: HashRequest, at: number): boolean {
  const stats = lstatSync(path);
  return stats.isFile() && stats.size === bytes[at] && stats.mtimeMs === mtimesMs[at];
}

function hashFile(path: RawPath): Omit<HashedFile, 'at'> | string {
  const file = openSync(path, FLAGS);
  try {
    const before = fstatSync(file);
    if (!before.isFile()) return 'gone';
    const hash = createHash('sha256');
    const bytes = readAll(file, hash, before.size);
    if (bytes === undefined) return 'stopped';
    if (bytes !== before.size || !isUntouched(before, fstatSync(file))) return 'changed';
    return { bytes, mtimeMs: before.mtimeMs, checksum: hash.digest('hex') };
  } finally {
    closeSync(file);
  }
}

/** Stops after more bytes than `size`: a file that is written all the time would never end. */
function readAll(file: number, hash: Hash, size: number): number | undefined {
  for (let total = 0; ; ) {
    const read = readSync(file, block);
    if (read > 0) hash.update(read === block.length ? block : block.subarray(0, read));
    total += read;
    // A short read of a file means its end.
    if (read < block.length || total > size) return total;
    if (isStopped()) return undefined;
  }
}

function isUntouched(before: Stats, after: Stats): boolean {
  return before.size === after.size && before.mtimeMs === after.mtimeMs && before.ctimeMs === after.ctimeMs;
}

function isStopped(): boolean {
  return Atomics.load(stop, 0) === 1;
}
