/**
 * Collects bytes that arrive in parts.
 *
 * A peer may send one byte at a time, and a list of parts would need a hundred times the memory of its bytes. This
 * collector needs at most twice as much as has arrived.
 */
export class ByteCollector {
  #bytes = Buffer.alloc(0);
  #length = 0;
  /** Whether the buffer is our own and may be appended to: the first part is not copied, as it is most often the only one. */
  #isOwn = false;

  get length(): number {
    return this.#length;
  }

  add(part: Uint8Array): void {
    if (part.length === 0) return;
    if (this.#length === 0) {
      this.#bytes = Buffer.from(part.buffer as ArrayBuffer, part.byteOffset, part.length);
      this.#isOwn = false;
    } else {
      this.#reserve(this.#length + part.length);
      this.#bytes.set(part, this.#length);
    }
    this.#length += part.length;
  }

  /** Returns all bytes and empties the collector. */
  take(): Buffer {
    const whole = this.#bytes.subarray(0, this.#length);
    this.#bytes = Buffer.alloc(0);
    this.#length = 0;
    return whole;
  }

  #reserve(length: number): void {
    if (this.#isOwn && length <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.#length, length));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
    this.#isOwn = true;
  }
}
