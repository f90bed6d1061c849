import { HOST_MAX_RUN_CHARS } from '../../limits.ts';
import type { FinalPiece } from './run-notifications.ts';

// What an entry takes, even an empty one.
const PIECE_CHARS = 64;

interface ChunkSet {
  readonly pieces: Map<number, string>;
  count: number | undefined;
}

/** The final text of a run, put together from pieces that come in any order and perhaps twice. */
export class FinalText {
  #whole: string | undefined;
  /** Of all pieces that came; what is beyond the limit is not kept, and the text is never whole. */
  #length = 0;
  readonly #sets = new Map<string, ChunkSet>();

  add({ text, chunk }: FinalPiece): void {
    if (!chunk) {
      this.#whole ??= text;
      return;
    }
    const set = this.#sets.get(chunk.id) ?? { pieces: new Map<number, string>(), count: undefined };
    this.#sets.set(chunk.id, set);
    const index = chunk.index ?? set.pieces.size;
    if (!set.pieces.has(index)) this.#keep(set, index, text);
    set.count ??= chunk.count;
    if (set.count !== undefined && set.pieces.size >= set.count) this.#whole ??= join(set);
  }

  #keep({ pieces }: ChunkSet, index: number, text: string): void {
    this.#length += text.length + PIECE_CHARS;
    if (this.#length <= HOST_MAX_RUN_CHARS) pieces.set(index, text);
  }

  /** All of it is there. */
  get isWhole(): boolean {
    return this.#whole !== undefined;
  }

  /** It would be all of it if the run were over: chunks that nobody has counted end with the run. */
  get mayBeWhole(): boolean {
    if (this.isWhole) return true;
    if (this.#length > HOST_MAX_RUN_CHARS) return false;
    return [...this.#sets.values()].some(
      ({ pieces, count }) => count === undefined && [...pieces.keys()].every((index) => index < pieces.size),
    );
  }

  /** As much of it as there is. */
  get text(): string | undefined {
    if (this.#whole !== undefined) return this.#whole;
    const [largest] = [...this.#sets.values()].sort((a, b) => b.pieces.size - a.pieces.size);
    return largest && join(largest);
  }
}

function join({ pieces }: ChunkSet): string {
  return [...pieces]
    .sort(([a], [b]) => a - b)
    .map(([, text]) => text)
    .join('');
}
