type Written = (error?: Error | null) => void;

interface Frame {
  readonly bytes: Buffer;
  readonly onWritten: Written;
}

interface Sink {
  write(bytes: Buffer, callback: Written): unknown;
}

/** Larger frames are not worth a copy. */
const MAX_JOINED_BYTES = 65_536;

/**
 * Frames for a pipe, written together when what is being done has come to its end.
 *
 * Many answers become ready at the same moment, when the commit they waited for is done: one write for all of them costs
 * little more than one for each. They leave before anything else is begun, so nobody waits longer for it.
 */
export class FrameQueue {
  readonly #sink: Sink;
  #frames: Frame[] = [];

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  write(bytes: Buffer, onWritten: Written): void {
    this.#frames.push({ bytes, onWritten });
    // After all promises that are settled by now, and before the next event, timer or commit.
    if (this.#frames.length === 1) process.nextTick(() => this.flush());
  }

  /** Writes now what waits. */
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
