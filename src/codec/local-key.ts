/**
 * The key file beside a store, which seals single values there when the owner gave no codec.
 *
 * It keeps secrets out of the database file and its copies. It does not protect them from a person who can read the whole
 * directory; a codec with a key from elsewhere does.
 */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fchownSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { TaskError } from '../errors.ts';
import { makeDirectorySync } from '../make-directory-sync.ts';
import { toKeyBytes } from './aes-gcm-codec.ts';

/** A key file in a directory, and what is lost without it. */
export interface KeyKind {
  readonly file: string;
  readonly loss: string;
}

const SEALING: KeyKind = { file: 'local.key', loss: 'what it sealed is lost' };

/** Returns the key shared by all processes that use this directory; creates it if it is missing. */
export function openLocalKey(directory: string, { file, loss }: KeyKind = SEALING): Uint8Array {
  const path = join(directory, file);
  const found = readKey(path, loss);
  if (found) return found;
  makeKey(path);
  return readKey(path, loss) ?? missing(path);
}

function readKey(path: string, loss: string): Uint8Array | undefined {
  const file = openKey(path);
  if (file === undefined) return undefined;
  try {
    const found = fstatSync(file);
    if (!found.isFile()) throw unusable(path, 'it is no plain file');
    if (!isPrivate(found.mode)) throw unusable(path, 'others may read it; chmod 600 it');
    const key = toKeyBytes(readFileSync(file, 'utf8'));
    if (key) return key;
  } finally {
    closeSync(file);
  }
  // Never replaced: everything it sealed would be lost for good.
  throw unusable(path, `it holds no key; put the right file back, or remove it and ${loss}`);
}

// Checks the opened file, not the path: the owner of the directory may be another user, who can swap files.
const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

function openKey(path: string): number | undefined {
  try {
    return openSync(path, READ);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw unusable(path, code === 'ELOOP' ? 'it is no plain file' : `it cannot be read (${code})`);
  }
}

// Written completely under another name first: no process ever reads half a key, and of several creators one wins.
function makeKey(path: string): void {
  makeDirectorySync(dirname(path));
  const draft = `${path}.${process.pid}.${randomBytes(6).toString('hex')}`;
  const file = openSync(draft, 'wx', 0o600);
  try {
    writeFileSync(file, `${randomBytes(32).toString('base64')}\n`);
    giveToOwner(file, dirname(path));
    fsyncSync(file);
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    closeSync(file);
    rmSync(draft, { force: true });
  }
}

// Root may be the first to need the key, in a directory whose owner must be able to read it later. Changes the owner by file
// handle: at the path, that owner could have put a link to any file of the machine.
function giveToOwner(file: number, directory: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(directory);
  if (uid !== 0) fchownSync(file, uid, gid);
}

/** Whether only its owner may read or write a file of this mode. */
export function isPrivate(mode: number): boolean {
  return process.platform === 'win32' || (mode & 0o077) === 0;
}

function unusable(path: string, why: string): TaskError {
  return new TaskError('STORE_KEY_WRONG', `the key ${path} cannot be used: ${why}`);
}

function missing(path: string): never {
  throw new TaskError('STORE_KEY_MISSING', `the key ${path} was removed while it was made`);
}
