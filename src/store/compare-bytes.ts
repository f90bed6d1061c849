/** Compares two texts by their UTF-8 bytes, as databases do; JavaScript's own order differs beyond U+FFFF. */
export function compareBytes(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
}
