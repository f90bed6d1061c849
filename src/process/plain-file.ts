/**
 * Opens files safely in directories where other users may have put something else: a link, a pipe that blocks its reader, a
 * device, a hard link to another file. The opened file is checked by its handle, so that it cannot be swapped in between.
 */
import { closeSync, constants, fstatSync, openSync, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

// Absent on Windows, where none of these file types are a problem.
const { O_NOFOLLOW = 0, O_NONBLOCK = 0, O_NOCTTY = 0 } = constants as Partial<typeof constants>;

/** How to open a path that must be a plain file. */
export interface PlainFileOptions {
  /** Open flags, added to those that keep a foreign file from doing harm. */
  readonly flags: number;
  /** The mode of a file that is created. @default 0o600 */
  readonly mode?: number;
  /** Whether to follow links: for reading a file, not for changing it. @default false */
  readonly allowLink?: boolean;
}

/** Opens a plain file; throws an error for anything else. `ENOENT` when there is nothing. */
export async function openPlainFile(
  path: string,
  options: PlainFileOptions,
): Promise<{ file: FileHandle; stats: Stats }> {
  const file = await open(path, toFlags(options), options.mode ?? 0o600);
  try {
    const stats = await file.stat();
    checkPlain(path, stats);
    return { file, stats };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Like `openPlainFile`, but synchronous; the caller closes the file descriptor. */
export function openPlainFileSync(path: string, options: PlainFileOptions): { file: number; stats: Stats } {
  const file = openSync(path, toFlags(options), options.mode ?? 0o600);
  try {
    const stats = fstatSync(file);
    checkPlain(path, stats);
    return { file, stats };
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

function toFlags({ flags, allowLink = false }: PlainFileOptions): number {
  return flags | O_NONBLOCK | O_NOCTTY | (allowLink ? 0 : O_NOFOLLOW);
}

function checkPlain(path: string, stats: Stats): void {
  if (!stats.isFile()) throw new Error(`${path} is no plain file`);
}

/** Whether the file belongs to the effective user of this process; always true where files have no such owner. */
export function isOwn({ uid }: Pick<Stats, 'uid'>): boolean {
  return process.geteuid === undefined || process.geteuid() === uid;
}

/** Whether opening failed because the path is a link. */
export function isLinkError(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  // FreeBSD and related systems use `EMLINK` instead.
  return code === 'ELOOP' || code === 'EMLINK';
}
