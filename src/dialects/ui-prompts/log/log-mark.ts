/** A position in a log before which a result cannot be, because its id was created later. */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { openPlainFile } from '../../../process/plain-file.ts';

const TAIL_BYTES = 512;

/** The state of a log at one moment; a wait that begins later need not read what was there before. */
export type LogMark = {
  /** Device and inode; empty when there was no file. */
  readonly id: string;
  readonly size: number;
  /** A hash of the last bytes: the position is meaningless once the part before it was rewritten. */
  readonly tail: string;
};

/** Marks the current end of a log. */
export async function takeMark(path: string): Promise<LogMark> {
  try {
    await using file = (await openPlainFile(path, { flags: constants.O_RDONLY, allowLink: true })).file;
    const { id, size } = await readIdentity(file);
    return { id, size, tail: await hashTail(file, size) };
  } catch {
    // An unreadable log has no mark, and is read completely later.
    return { id: '', size: 0, tail: '' };
  }
}

/** Whether this is the marked file, and the part before the mark is unchanged. */
export async function isMarked(file: FileHandle, mark: LogMark | undefined): Promise<boolean> {
  if (mark === undefined || mark.id === '') return false;
  const { id, size } = await readIdentity(file);
  return id === mark.id && size >= mark.size && (await hashTail(file, mark.size)) === mark.tail;
}

/** Returns the id of the file, and its size. */
export async function readIdentity(file: FileHandle): Promise<{ id: string; size: number }> {
  const { dev, ino, size } = await file.stat({ bigint: true });
  return { id: `${dev}:${ino}`, size: Number(size) };
}

async function hashTail(file: FileHandle, size: number): Promise<string> {
  const length = Math.min(size, TAIL_BYTES);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
  return createHash('sha256').update(buffer.subarray(0, bytesRead)).digest('base64url');
}
