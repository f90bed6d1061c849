import { on } from 'node:events';
import { Worker as Thread } from 'node:worker_threads';
import { fromThread } from './raw-path.ts';
import type { WalkOrder, WalkPiece } from './walk-thread.ts';

const AHEAD = 32;
// Every credit wakes the thread; granting many at once wakes it less often.
const CREDIT = 8;

/** Walks a tree in a thread. */
export class Walk {
  readonly #credits = new Int32Array(new SharedArrayBuffer(4)).fill(AHEAD);
  readonly #thread: Thread;

  constructor(order: Omit<WalkOrder, 'credit'>) {
    const workerData: WalkOrder = { ...order, credit: this.#credits.buffer as SharedArrayBuffer };
    this.#thread = new Thread(new URL('./walk-thread.js', import.meta.url), { workerData });
  }

  /** Yields the pieces in order; throws the signal's reason when it is aborted. */
  async *pieces(signal: AbortSignal): AsyncGenerator<WalkPiece> {
    let taken = 0;
    try {
      for await (const [piece] of on(this.#thread, 'message', { signal }) as AsyncIterable<[WalkPiece?]>) {
        if (piece === undefined) return;
        yield toOwn(piece);
        taken += 1;
        if (taken % CREDIT !== 0) continue;
        Atomics.add(this.#credits, 0, CREDIT);
        Atomics.notify(this.#credits, 0);
      }
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#thread.terminate();
  }
}

function toOwn(piece: WalkPiece): WalkPiece {
  const { directory, files, directories, loops } = piece;
  return {
    ...piece,
    directory: fromThread(directory),
    files: files.map(fromThread),
    directories: directories.map(fromThread),
    loops: loops.map(fromThread),
  };
}
