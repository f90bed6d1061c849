/** Returns the beginning of a text: at most `length` UTF-16 units, never ending within a surrogate pair. */
export function cutText(text: string, length: number): string {
  return text.slice(0, toCut(text, length));
}

/** Cuts a text at a length, and marks the cut with `…`. */
export function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${cutText(text, length)}…`;
}

/** Splits a text into pieces of at most `length` UTF-16 units, none of which ends within a surrogate pair. */
export function splitText(text: string, length: number): readonly string[] {
  const pieces: string[] = [];
  for (let rest = text; rest !== '' || pieces.length === 0; ) {
    const end = toCut(rest, length);
    pieces.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return pieces;
}

function toCut(text: string, length: number): number {
  if (text.length <= length) return text.length;
  const isPair = isHigh(text.charCodeAt(length - 1)) && isLow(text.charCodeAt(length));
  return isPair && length > 1 ? length - 1 : length;
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
