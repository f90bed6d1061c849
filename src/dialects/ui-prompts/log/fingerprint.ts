/**
 * A sample of what was read of a file, in a few hundred bytes: enough to detect that it was rewritten in place.
 *
 * Size, inode and time cannot tell an append from a rewrite that grew. So the beginning, the end and some random places
 * in between are kept and compared with the current content.
 */
import type { FileHandle } from 'node:fs/promises';

/** How many bytes of the beginning and of the end are kept. */
export const EDGE_BYTES = 512;

const PROBE_BYTES = 64;
const MAX_PROBES = 6;

interface Piece {
  readonly at: number;
  readonly bytes: Buffer;
}

export class Fingerprint {
  #head: Piece = { at: 0, bytes: Buffer.alloc(0) };
  #tail: Piece = { at: 0, bytes: Buffer.alloc(0) };
  #probes: Piece[] = [];
  #chunks = 0;

  /** Records the bytes that were read at `at`, which follow the previous ones. */
  note(chunk: Buffer, at: number): void {
    if (this.#head.at + this.#head.bytes.length === at && this.#head.bytes.length < EDGE_BYTES) {
      const room = EDGE_BYTES - this.#head.bytes.length;
      this.#head = { at: this.#head.at, bytes: Buffer.concat([this.#head.bytes, chunk.subarray(0, room)]) };
    }
    const end = Buffer.concat([this.#tail.bytes, chunk.subarray(-EDGE_BYTES)]).subarray(-EDGE_BYTES);
    // A copy: the chunk's buffer is reused, and a view would keep all of it in memory.
    this.#tail = { at: at + chunk.length - end.length, bytes: Buffer.from(end) };
    this.#probe(chunk, at);
  }

  /** Whether the file still holds what was read. */
  async holds(file: FileHandle): Promise<boolean> {
    const pieces = [this.#head, this.#tail, ...this.#probes];
    const same = await Promise.all(pieces.map((piece) => isThere(file, piece)));
    return same.every(Boolean);
  }

  /** Whether the last bytes that were read are unchanged: then the bytes read after them are their continuation. */
  holdsTail(file: FileHandle): Promise<boolean> {
    return isThere(file, this.#tail);
  }

  // Reservoir sampling: every chunk has the same chance to be checked again, however many there were.
  #probe(chunk: Buffer, at: number): void {
    this.#chunks += 1;
    const place = this.#probes.length < MAX_PROBES ? this.#probes.length : Math.floor(Math.random() * this.#chunks);
    if (place >= MAX_PROBES) return;
    const start = Math.floor(Math.random() * Math.max(1, chunk.length - PROBE_BYTES));
    this.#probes[place] = { at: at + start, bytes: Buffer.from(chunk.subarray(start, start + PROBE_BYTES)) };
  }
}

async function isThere(file: FileHandle, { at, bytes }: Piece): Promise<boolean> {
  if (bytes.length === 0) return true;
  const { bytesRead, buffer } = await file.read(Buffer.alloc(bytes.length), 0, bytes.length, at);
  return bytesRead === bytes.length && buffer.equals(bytes);
}
