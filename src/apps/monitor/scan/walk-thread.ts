/**
 * Walks a tree, away from the event loop, and sends what it finds directory by directory.
 *
 * It runs ahead of its reader by a few pieces and then waits, so its memory does not grow with the tree. Symbolic links
 * are never followed.
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
  /** Whether size and time of each file are told too: where most are known, that saves asking another thread. */
  readonly looks: boolean;
  /** How many pieces may be sent before the reader asks for more. */
  readonly credit: SharedArrayBuffer;
}

/** Size and time of files, in the order of their names; a size below 0 is that of a file that could not be looked at. */
export interface FileLooks {
  readonly bytes: Float64Array;
  readonly mtimesMs: Float64Array;
}

/** A part of a directory; the parts of one directory follow each other. */
export interface WalkPiece extends Omit<Listing, 'links'> {
  readonly directory: RawPath;
  readonly links: number;
  readonly looks?: FileLooks;
  /** Links that lead to themselves, or to a directory that they lie in. */
  readonly loops: RawPath[];
  /** The last piece of its directory: whether all of it was read, or an error code of the system. */
  readonly end?: 'whole' | (string & {});
}

const { root, recursive, size, looks: isLooking, credit } = workerData as WalkOrder;
const credits = new Int32Array(credit);

for (let pending: RawPath[] = [root], path = pending.pop(); path !== undefined; path = pending.pop()) {
  const below = walk(path);
  if (recursive) for (const name of below) pending.push(joinPath(path, name));
}
send(undefined);

/** Sends the pieces of one directory; returns the names of the directories in it. */
function walk(directory: RawPath): RawPath[] {
  const directories: RawPath[] = [];
  let held: Listing | undefined;
  let end = 'whole';
  try {
    for (const piece of listDirectory(directory, size)) {
      for (const name of piece.directories) directories.push(name);
      // One is held back, so that most directories are a single message.
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
      // Whoever wants to hash it finds out what is wrong with it.
    }
  }
  return { bytes, mtimesMs };
}

function isLoop(directory: RawPath, name: RawPath): boolean {
  try {
    // One character per byte on both sides, whatever the names are.
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
