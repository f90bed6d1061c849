type Written = (error?: Error | null) => void;

interface Frame {
  readonly bytes: Buffer;
  readonly onWritten: Written;
}

interface Sink {
  write(bytes: Buffer, callback: Written): unknown;
}

/** Joining larger frames is not worth the copy. */
const MAX_JOINED_BYTES = 65_536;

/**
 * Frames for a pipe, written together at the end of the current tick.
 *
 * Many answers become ready together, when the commit they waited for is done: one write for all costs little more than
 * one for each. They are written before any other work starts, so no client waits longer.
 */
export class FrameQueue {
  readonly #sink: Sink;
  #frames: Frame[] = [];

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  write(bytes: Buffer, onWritten: Written): void {
    this.#frames.push({ bytes, onWritten });
    // Runs after all promises that are settled by now, and before the next event, timer or commit.
    if (this.#frames.length === 1) process.nextTick(() => this.flush());
  }

  /** Writes the queued frames now. */
  flush(): void {
    const frames = this.#frames;
    this.#frames = [];
    let joined: Frame[] = [];
    let size = 0;
    for (const frame of frames) {
      if (joined.length > 0 && size + frame.bytes.length > MAX_JOINED_BYTES) {
        this.#write(joined);
        joined = [];
        size = 0;
      }
      joined.push(frame);
      size += frame.bytes.length;
    }
    if (joined.length > 0) this.#write(joined);
  }

  #write(frames: readonly Frame[]): void {
    const [first] = frames;
    if (first === undefined) return;
    if (frames.length === 1) this.#sink.write(first.bytes, first.onWritten);
    else {
      this.#sink.write(Buffer.concat(frames.map(({ bytes }) => bytes)), (error) => {
        for (const { onWritten } of frames) onWritten(error);
      });
    }
  }
}
