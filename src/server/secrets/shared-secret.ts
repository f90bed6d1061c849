/**
 * Secrets shared by the servers on one store: in the store if machines share it, else each in its own file in the
 * store's directory.
 *
 * A file is written atomically, never opened through a link, and read only when it belongs to this user and no other
 * user can read it. A damaged file, or one that others could have read, is replaced with a warning. Processes that
 * create or replace one at the same time all get the same secret.
 */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Engine } from '../../engine/engine.ts';
import { TaskError } from '../../errors.ts';
import { withFileLock } from '../../process/file-lock.ts';
import { makeDirectory } from '../../process/make-directory.ts';

export interface SharedSecret {
  readonly file: string;
  make(): Buffer;
  isWhole(content: Buffer): boolean;
}

type Found =
  | { readonly kind: 'secret'; readonly content: Buffer }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unusable'; readonly why: string };

// Windows has no such modes: the directory determines who may read a file.
const HAS_MODES = process.platform !== 'win32';
const OTHERS_MODE = 0o077;
const MAX_SECRET_BYTES = 1024;

/** Where the servers on one store keep their secrets: in the store, or in its directory. */
export type SecretLocation = Pick<Engine, 'directory'> & Partial<Pick<Engine, 'secrets'>>;

/** Returns the secret of all servers on a store; without a place to keep it, one for this process alone. */
export async function openSecret(
  { directory, secrets }: SecretLocation,
  secret: SharedSecret,
  warn: (text: string) => void,
): Promise<Buffer> {
  if (secrets) return Buffer.from(await secrets.open(secret.file, secret.make));
  if (directory === undefined) return secret.make();
  const path = join(directory, secret.file);
  const found = await readSecret(path, secret);
  if (found.kind === 'secret') return found.content;
  await makeDirectory(directory);
  return withFileLock(path, async () => {
    // Another process may have created it first.
    const again = await readSecret(path, secret);
    if (again.kind === 'secret') return again.content;
    if (again.kind === 'unusable') warn(`${path} ${again.why}; it is replaced, and what was made with it is void`);
    const content = secret.make();
    await writeSecret(path, content);
    return content;
  });
}

async function readSecret(path: string, secret: SharedSecret): Promise<Found> {
  let handle: FileHandle;
  try {
    handle = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return { kind: 'missing' };
    const why = code === 'ELOOP' ? 'is a link' : `cannot be read (${code})`;
    throw new TaskError('STORE_NO_ACCESS', `${path} ${why}; remove it, and a new one is made`, { cause: error });
  }
  await using file = handle;
  const { uid, mode, size } = await file.stat().then((stats) => {
    if (stats.isFile()) return stats;
    throw new TaskError('STORE_NO_ACCESS', `${path} is no file; remove it, and a new one is made`);
  });
  if (HAS_MODES && uid !== process.geteuid?.()) {
    throw new TaskError('STORE_NO_ACCESS', `${path} belongs to another user; remove it, and a new one is made`);
  }
  if (HAS_MODES && (mode & OTHERS_MODE) !== 0) return { kind: 'unusable', why: 'could be read by other users' };
  const content = size <= MAX_SECRET_BYTES ? await file.readFile() : Buffer.alloc(0);
  return secret.isWhole(content) ? { kind: 'secret', content } : { kind: 'unusable', why: 'is empty or damaged' };
}

/** Writes the file atomically, even if the machine stops. */
async function writeSecret(path: string, content: Buffer): Promise<void> {
  const draft = `${path}.${randomBytes(8).toString('hex')}`;
  try {
    await using file = await open(draft, 'wx', 0o600);
    await file.writeFile(content);
    await file.sync();
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
