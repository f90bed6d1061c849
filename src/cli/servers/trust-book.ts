/**
 * What the user has approved, by path and hash, in a file that only they can write.
 *
 * The path is that of the file that says what to run; typed commands are stored under the key `typed`.
 */
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isObject } from '../../is-object.ts';
import { makeDirectorySync } from '../../make-directory-sync.ts';
import { resolveStoreDirectory } from '../../store/sqlite/directory.ts';
import { findFault } from './own-path.ts';
import { readOwnFile, untrustedFileError } from './read-file.ts';

/** The key for typed commands, which no file contains. */
export const TYPED = 'typed';

export interface Word {
  readonly path: string;
  readonly hash: string;
}

/** Approved hashes by path, newest first. */
type Book = Readonly<Record<string, readonly string[]>>;

// Several hashes are kept, so that switching between versions of a file does not ask each time.
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
  // Written to a draft and renamed: a half-written file would lose the other entries.
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
    // Damaged: the user is asked about everything again. A file that another user could have written is refused.
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

function toPlace(): string {
  return join(resolveStoreDirectory('calls'), 'trusted.json');
}
