/**
 * Changes another program's file: completely or not at all, and never over changes that were written meanwhile.
 *
 * Keeps symbolic links, modes, owners and a byte order mark.
 */
import { createHash, randomUUID } from 'node:crypto';
import { chmod, chown, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { TaskError } from '../../errors.ts';
import { HOST_MAX_CONFIG_BYTES } from '../../limits.ts';

const MARK = '\uFEFF';
const MAX_TRIES = 5;

/** The content of a file when it was read. */
export interface ConfigText {
  /** The text without its byte order mark. */
  readonly text: string;
  readonly bytes: Buffer;
}

/** Reads a file; undefined when it does not exist. */
export async function readConfigText(path: string): Promise<ConfigText | undefined> {
  try {
    const { size, isFile } = await lookAt(path);
    if (!isFile || size > HOST_MAX_CONFIG_BYTES) {
      throw refusal(path, `it is no file of at most ${HOST_MAX_CONFIG_BYTES} bytes`);
    }
    const bytes = await readFile(path);
    return { bytes, text: decode(path, bytes).replace(MARK, '') };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    if (code === 'EACCES') throw refusal(path, 'it may not be read', error);
    throw error;
  }
}

/** The bytes of a file before and after a change. */
export interface ChangedFile {
  readonly before: Buffer;
  readonly after: Buffer;
}

/**
 * Returns undefined when the text stays the same.
 * @param change returns the new text; called again with the new content when the file was written meanwhile
 */
export async function changeFile(
  path: string,
  change: (config: ConfigText) => string | Promise<string>,
): Promise<ChangedFile | undefined> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const config = await readConfigText(path);
    if (!config) throw refusal(path, 'it is not there any more');
    const text = await change(config);
    if (text === config.text) return undefined;
    const hasMark = config.bytes.subarray(0, 3).equals(Buffer.from(MARK));
    const after = Buffer.from(hasMark ? MARK + text : text);
    if (await replaceFile(path, { before: config.bytes, after })) return { before: config.bytes, after };
  }
  throw refusal(path, `another program wrote it ${MAX_TRIES} times at the same moment; close the client and try again`);
}

export function toHash(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Returns false when the file no longer has the expected content. */
async function replaceFile(path: string, { before, after }: ChangedFile): Promise<boolean> {
  const real = await realpath(path);
  const { mode, uid, gid } = await stat(real);
  // Renaming over a read-only file would succeed, but its owner has made it read-only on purpose.
  if ((mode & 0o222) === 0) throw refusal(path, 'it is read-only; make it writable first');
  const draft = `${real}.${randomUUID().slice(0, 8)}.tmp`;
  try {
    await writeDraft(draft, after);
    await chmod(draft, mode & 0o777);
    if (process.getuid?.() === 0) await chown(draft, uid, gid);
    if (!(await readFile(real)).equals(before)) return false;
    await rename(draft, real);
    await syncFolder(dirname(real));
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') throw refusal(path, 'it may not be written', error);
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

async function writeDraft(draft: string, bytes: Buffer): Promise<void> {
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function lookAt(path: string): Promise<{ readonly size: number; readonly isFile: boolean }> {
  const stats = await stat(path);
  return { size: stats.size, isFile: stats.isFile() };
}

function decode(path: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw refusal(path, 'it is not in UTF-8', error);
  }
}

function refusal(path: string, why: string, cause?: unknown): TaskError {
  return new TaskError('INVALID_ARGUMENT', `${path} is left as it is: ${why}`, { cause });
}
