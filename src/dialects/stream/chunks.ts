import { HOST_MAX_RUN_CHARS } from '../../limits.ts';
import type { FinalPiece } from './run-notifications.ts';

// The memory that an entry needs, even an empty one.
const PIECE_CHARS = 64;

interface ChunkSet {
  readonly pieces: Map<number, string>;
  count: number | undefined;
}

/** The final text of a run, assembled from pieces that may arrive in any order and more than once. */
export class FinalText {
  #whole: string | undefined;
  /** The length of all pieces; pieces beyond the limit are not kept, and the text then never becomes whole. */
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

  /** Whether the whole text is there. */
  get isWhole(): boolean {
    return this.#whole !== undefined;
  }

  /** Whether the text would be whole if the run were over: chunks without a count end with the run. */
  get mayBeWhole(): boolean {
    if (this.isWhole) return true;
    if (this.#length > HOST_MAX_RUN_CHARS) return false;
    return [...this.#sets.values()].some(
      ({ pieces, count }) => count === undefined && [...pieces.keys()].every((index) => index < pieces.size),
    );
  }

  /** The text as far as it is there. */
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
