/**
 * Walks a tree, away from the event loop, and sends what it finds directory by directory.
 *
 * Runs a few pieces ahead of its reader and then waits, so its memory does not grow with the tree. Symbolic links are never
 * followed.
 */
import { lstatSync, realpathSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { type Listing, listDirectory } from './list-directory.ts';
import { joinPath, type RawPath } from './raw-path.ts';

export interface WalkOrder {
  readonly root: string;
  readonly recursive: boolean;
  /** How many files a piece holds at most. */
  readonly size: number;
  /** Whether to also send size and time of each file: where most files are known, that saves a round trip to the hash threads. */
  readonly looks: boolean;
  /** How many more pieces may be sent before the reader grants more. */
  readonly credit: SharedArrayBuffer;
}

/** Size and time of files, in the order of their names; a size below 0 means that the file could not be read. */
export interface FileLooks {
  readonly bytes: Float64Array;
  readonly mtimesMs: Float64Array;
}

/** A part of a directory; the parts of one directory are sent in sequence. */
export interface WalkPiece extends Omit<Listing, 'links'> {
  readonly directory: RawPath;
  readonly links: number;
  readonly looks?: FileLooks;
  /** Links that lead to themselves, or to a directory that contains them. */
  readonly loops: RawPath[];
  /** Set on the last piece of a directory: whether it was read completely, or an error code of the system. */
  readonly end?: 'whole' | (string & {});
}

const { root, recursive, size, looks: isLooking, credit } = workerData as WalkOrder;
const credits = new Int32Array(credit);

for (let pending: RawPath[] = [root], path = pending.pop(); path !== undefined; path = pending.pop()) {
  const below = walk(path);
  if (recursive) for (const name of below) pending.push(joinPath(path, name));
}
send(undefined);

/** Sends the pieces of one directory; returns the names of its subdirectories. */
function walk(directory: RawPath): RawPath[] {
  const directories: RawPath[] = [];
  let held: Listing | undefined;
  let end = 'whole';
  try {
    for (const piece of listDirectory(directory, size)) {
      for (const name of piece.directories) directories.push(name);
      // One piece is held back, so that most directories take a single message.
      if (held) send(toPiece(directory, held));
      held = piece;
    }
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    end = code ?? syscall;
  }
  send(toPiece(directory, held ?? { files: [], directories: [], links: [] }, end));
  return directories;
}

function toPiece(directory: RawPath, { files, directories, links }: Listing, end?: string): WalkPiece {
  const loops = links.filter((name) => isLoop(directory, name));
  const looks = isLooking && files.length > 0 ? { looks: lookAt(directory, files) } : {};
  return { directory, files, directories, links: links.length, loops, ...looks, ...(end !== undefined && { end }) };
}

function lookAt(directory: RawPath, files: readonly RawPath[]): FileLooks {
  const bytes = new Float64Array(files.length).fill(-1);
  const mtimesMs = new Float64Array(files.length);
  for (const [at, name] of files.entries()) {
    try {
      const stats = lstatSync(joinPath(directory, name));
      if (stats.isFile()) bytes[at] = stats.size;
      mtimesMs[at] = stats.mtimeMs;
    } catch {
      // The attempt to hash the file will report the error.
    }
  }
  return { bytes, mtimesMs };
}

function isLoop(directory: RawPath, name: RawPath): boolean {
  try {
    // `latin1` maps each byte to one character, so any names can be compared.
    const target = realpathSync.native(joinPath(directory, name), 'latin1');
    const home = realpathSync.native(directory, 'latin1');
    return home === target || home.startsWith(target === '/' ? '/' : `${target}/`);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ELOOP';
  }
}

function send(piece: WalkPiece | undefined): void {
  while (Atomics.load(credits, 0) === 0) Atomics.wait(credits, 0, 0);
  Atomics.sub(credits, 0, 1);
  parentPort?.postMessage(piece);
}
