/** The order of two texts by their bytes in UTF-8, which is that of databases; JavaScript's own differs beyond U+FFFF. */
export function compareBytes(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
}
