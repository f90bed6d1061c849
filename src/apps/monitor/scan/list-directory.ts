import { type Dir, type Dirent, opendirSync } from 'node:fs';
import { type RawPath, toRawPath } from './raw-path.ts';

/** Some of what lies in a directory. Devices, sockets and pipes are left out. */
export interface Listing {
  readonly files: RawPath[];
  readonly directories: RawPath[];
  readonly links: RawPath[];
}

const READ_AHEAD = 256;
// What bytes that are no UTF-8 become in a text.
const FOREIGN = '\uFFFD';

/** Lists a directory in pieces of at most `size` files, so that it may hold any number. Blocks; for threads. */
export function* listDirectory(path: RawPath, size: number): Generator<Listing> {
  let hasForeign = false;
  yield* toPieces(open(path), size, ({ name }) => {
    if (!name.includes(FOREIGN)) return name;
    hasForeign = true;
    return undefined;
  });
  // Few directories have such names, and reading all names as bytes takes several times as long.
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
  // The types of Node know only texts here.
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
