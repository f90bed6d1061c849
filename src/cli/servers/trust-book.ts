/**
 * What the user has said yes to: by path and hash, in a file that only they can write.
 *
 * A path is that of the file that says what is run; commands that were typed stand under a name of their own.
 */
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isObject } from '../../is-object.ts';
import { makeDirectorySync } from '../../make-directory-sync.ts';
import { resolveStoreDirectory } from '../../store/sqlite/directory.ts';
import { findFault } from './own-path.ts';
import { readOwnFile, untrustedFileError } from './read-file.ts';

/** For commands that stand in no file. */
export const TYPED = 'typed';

export interface Word {
  readonly path: string;
  readonly hash: string;
}

/** By path, newest first. */
type Book = Readonly<Record<string, readonly string[]>>;

// Whoever goes back and forth between versions of a file is not asked each time.
const MAX_HASHES = 100;

export function isTrusted({ path, hash }: Word): boolean {
  const book = readBook();
  return Object.hasOwn(book, path) && book[path]?.includes(hash) === true;
}

export function trust({ path, hash }: Word): void {
  if (isTrusted({ path, hash })) return;
  const book = readBook();
  const before = Object.hasOwn(book, path) ? (book[path] ?? []) : [];
  const place = toPlace();
  makeDirectorySync(dirname(place));
  const fault = findFault(dirname(place));
  if (fault !== undefined) throw untrustedFileError(dirname(place), fault);
  const draft = `${place}.${process.pid}`;
  // Whole or not at all: half a book would forget the other half.
  writeFileSync(draft, JSON.stringify({ ...book, [path]: [hash, ...before].slice(0, MAX_HASHES) }), { mode: 0o600 });
  renameSync(draft, place);
}

function readBook(): Book {
  const place = toPlace();
  if (!existsSync(place)) return {};
  try {
    const book = JSON.parse(readOwnFile(place)) as unknown;
    return isObject(book) ? (book as Book) : {};
  } catch (error) {
    // Damaged: everything is asked about again. One that is somebody else's is refused.
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

function toPlace(): string {
  return join(resolveStoreDirectory('calls'), 'trusted.json');
}
