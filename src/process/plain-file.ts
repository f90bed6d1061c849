/**
 * Opens files in directories where others may have put something: a link, a pipe that blocks whoever opens it, a device,
 * a second name of another file. What was opened is judged by its handle, so that nothing can be swapped in between.
 */
import { closeSync, constants, fstatSync, openSync, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

// Absent on Windows, where none of these can be in the way.
const { O_NOFOLLOW = 0, O_NONBLOCK = 0, O_NOCTTY = 0 } = constants as Partial<typeof constants>;

/** How a file is opened that must be nothing but a plain file. */
export interface PlainFileOptions {
  /** Added to what keeps a stranger's file from doing harm. */
  readonly flags: number;
  /** Of a file that is made. @default 0o600 */
  readonly mode?: number;
  /** Links are followed: to look at a file, not to change it. @default false */
  readonly allowLink?: boolean;
}

/** Opens a file if it is one; throws an error that says what else it is. `ENOENT` when there is nothing. */
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

/** The same at once; what is returned is to be closed. */
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

/** Whether the file belongs to the user that this process acts for; always where files have no such owner. */
export function isOwn({ uid }: Pick<Stats, 'uid'>): boolean {
  return process.geteuid === undefined || process.geteuid() === uid;
}

/** Whether opening failed because the path is a link. */
export function isLinkError(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  // FreeBSD and its heirs have another word for it.
  return code === 'ELOOP' || code === 'EMLINK';
}
