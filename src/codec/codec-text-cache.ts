/** A cache of recently encoded and decoded texts: a task is read several times for each write. */
export class CodecTextCache {
  readonly #texts = new Map<string, { readonly place: string; readonly text: string }>();

  add(kept: string, place: string, text: string): void {
    if (kept.length > LONGEST) return;
    if (this.#texts.size >= MOST) this.#dropOldest();
    this.#texts.set(kept, { place, text });
  }

  /** Returns `undefined` when the text was stored for another place: the codec must then refuse it. */
  find(kept: string, place: string): string | undefined {
    const known = this.#texts.get(kept);
    return known?.place === place ? known.text : undefined;
  }

  #dropOldest(): void {
    let left = DROPPED;
    for (const kept of this.#texts.keys()) {
      if (left-- === 0) return;
      this.#texts.delete(kept);
    }
  }
}

// At most about 4 MB in total.
const MOST = 1024;
const DROPPED = 128;
const LONGEST = 2048;
