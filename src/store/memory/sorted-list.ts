/** Keeps items in order. The order must be total: two items never compare as equal. */
export class SortedList<T> implements Iterable<T> {
  readonly #items: T[] = [];
  readonly #compare: (a: T, b: T) => number;

  constructor(compare: (a: T, b: T) => number) {
    this.#compare = compare;
  }

  get size(): number {
    return this.#items.length;
  }

  get first(): T | undefined {
    return this.#items[0];
  }

  add(item: T): void {
    this.#items.splice(this.#placeOf(item), 0, item);
  }

  /** Removes an item; it must still compare as it did when it was added. */
  remove(item: T): void {
    const place = this.#placeOf(item);
    if (this.#items[place] === item) this.#items.splice(place, 1);
  }

  /** The first items that pass, at most `max`; stops at the first item that does not pass. */
  takeWhile(max: number, passes: (item: T) => boolean): T[] {
    const taken: T[] = [];
    for (const item of this.#items) {
      if (taken.length >= max || !passes(item)) break;
      taken.push(item);
    }
    return taken;
  }

  /** From the last item to the first, starting before the first item that `isBehind`. */
  *backwards(isBehind: (item: T) => boolean = () => false): Generator<T> {
    for (let place = this.#search(isBehind) - 1; place >= 0; place--) yield this.#items[place] as T;
  }

  [Symbol.iterator](): Iterator<T> {
    return this.#items[Symbol.iterator]();
  }

  #placeOf(item: T): number {
    return this.#search((other) => this.#compare(other, item) >= 0);
  }

  /** The first position where `isBehind` is true; it must be true for every later position too. */
  #search(isBehind: (item: T) => boolean): number {
    let low = 0;
    let high = this.#items.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBehind(this.#items[middle] as T)) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
