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
import { readOwnFile, untrustedFileError } from './read-file.ts';
import { findUntrustedReason } from './untrusted-reason.ts';

/** The key for typed commands, which no file contains. */
export const TYPED = 'typed';

export interface Approval {
  readonly path: string;
  readonly hash: string;
}

/** Approved hashes by path, newest first. */
type ApprovedHashes = Readonly<Record<string, readonly string[]>>;

// Several hashes are kept, so that switching between versions of a file does not ask each time.
const MAX_HASHES = 100;

export function isTrusted({ path, hash }: Approval): boolean {
  const approved = readApprovedHashes();
  return Object.hasOwn(approved, path) && approved[path]?.includes(hash) === true;
}

export function trust({ path, hash }: Approval): void {
  if (isTrusted({ path, hash })) return;
  const approved = readApprovedHashes();
  const before = Object.hasOwn(approved, path) ? (approved[path] ?? []) : [];
  const file = toStorePath();
  makeDirectorySync(dirname(file));
  const reason = findUntrustedReason(dirname(file));
  if (reason !== undefined) throw untrustedFileError(dirname(file), reason);
  const draft = `${file}.${process.pid}`;
  // Written to a draft and renamed: a half-written file would lose the other entries.
  writeFileSync(draft, JSON.stringify({ ...approved, [path]: [hash, ...before].slice(0, MAX_HASHES) }), {
    mode: 0o600,
  });
  renameSync(draft, file);
}

function readApprovedHashes(): ApprovedHashes {
  const file = toStorePath();
  if (!existsSync(file)) return {};
  try {
    const approved = JSON.parse(readOwnFile(file)) as unknown;
    return isObject(approved) ? (approved as ApprovedHashes) : {};
  } catch (error) {
    // Damaged: the user is asked about everything again. A file that another user could have written is refused.
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

function toStorePath(): string {
  return join(resolveStoreDirectory('calls'), 'trusted.json');
}
