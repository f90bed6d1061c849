import { listDirectory } from './list-directory.ts';
import { joinPath, type RawPath } from './raw-path.ts';

const PIECE = 512;

/**
 * Counts files, a little at a time: each value is what has been found so far.
 *
 * It only reads names, so it takes a small part of the time of a sync; what it cannot read counts nothing.
 */
export function* countFiles(root: string, recursive: boolean): Generator<number> {
  const pending: RawPath[] = [root];
  let count = 0;
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    for (const { files, directories } of listWhatCanBe(path)) {
      count += files.length;
      if (recursive) for (const name of directories) pending.push(joinPath(path, name));
      yield count;
    }
  }
}

function* listWhatCanBe(path: RawPath): ReturnType<typeof listDirectory> {
  try {
    yield* listDirectory(path, PIECE);
  } catch (error) {
    // It may not be read, or vanished; the sync itself will say so.
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
  }
}
