import { listDirectory } from './list-directory.ts';
import { joinPath, type RawPath } from './raw-path.ts';

const PIECE = 512;

/** Some files of one directory of a tree, and how much of the tree is known so far. */
export interface TreePiece {
  readonly directory: RawPath;
  readonly files: readonly RawPath[];
  /** How many directories have been started. */
  readonly begun: number;
  /** How many directories were found but not started yet. */
  readonly pending: number;
}

/**
 * Lists the files of a tree, a little at a time.
 *
 * Only reads names, so it takes a small part of the time of a sync; an unreadable directory counts as empty.
 */
export function* listTree(root: string, recursive: boolean): Generator<TreePiece> {
  const pending: RawPath[] = [root];
  let begun = 0;
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    begun += 1;
    for (const { files, directories } of listWhatCanBe(directory)) {
      if (recursive) for (const name of directories) pending.push(joinPath(directory, name));
      yield { directory, files, begun, pending: pending.length };
    }
  }
}

function* listWhatCanBe(path: RawPath): ReturnType<typeof listDirectory> {
  try {
    yield* listDirectory(path, PIECE);
  } catch (error) {
    // Not readable, or vanished; the sync itself will report it.
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
  }
}
