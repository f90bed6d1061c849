import { type Dir, type Dirent, opendirSync } from 'node:fs';
import { type RawPath, toRawPath } from './raw-path.ts';

/** Some entries of a directory. Devices, sockets and pipes are left out. */
export interface Listing {
  readonly files: RawPath[];
  readonly directories: RawPath[];
  readonly links: RawPath[];
}

const READ_AHEAD = 256;
// The replacement character for bytes that are not UTF-8.
const FOREIGN = '\uFFFD';

/**
 * Lists a directory in pieces of at most `size` files, so that a directory of any size fits in memory. Blocks; for use in
 * threads.
 */
export function* listDirectory(path: RawPath, size: number): Generator<Listing> {
  let hasForeign = false;
  yield* toPieces(open(path), size, ({ name }) => {
    if (!name.includes(FOREIGN)) return name;
    hasForeign = true;
    return undefined;
  });
  // A second pass only where needed: few directories have invalid names, and reading all names as bytes takes several times as
  // long.
  if (!hasForeign) return;
  yield* toPieces(open(path, 'buffer'), size, (entry) => {
    const bytes = entry.name as unknown as Buffer;
    return bytes.toString('utf8').includes(FOREIGN) ? toRawPath(bytes) : undefined;
  });
}

function* toPieces(dir: Dir, size: number, toName: (entry: Dirent) => RawPath | undefined): Generator<Listing> {
  let piece = toEmpty();
  try {
    for (let entry = dir.readSync(); entry !== null; entry = dir.readSync()) {
      const name = toName(entry);
      if (name !== undefined) sort(piece, entry, name);
      if (piece.files.length < size) continue;
      yield piece;
      piece = toEmpty();
    }
  } finally {
    dir.closeSync();
  }
  yield piece;
}

function open(path: RawPath, encoding?: 'buffer'): Dir {
  // Node's types accept only text encodings here.
  return opendirSync(path, { bufferSize: READ_AHEAD, ...(encoding && { encoding: encoding as BufferEncoding }) });
}

function toEmpty(): Listing {
  return { files: [], directories: [], links: [] };
}

function sort(piece: Listing, entry: Dirent, name: RawPath): void {
  if (entry.isFile()) piece.files.push(name);
  else if (entry.isDirectory()) piece.directories.push(name);
  else if (entry.isSymbolicLink()) piece.links.push(name);
}
