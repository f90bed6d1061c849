/**
 * Splits bytes into lines and finds those that name a wanted id, without parsing the others.
 *
 * Everything stays bytes until a line is complete, so a character split across two reads stays whole. Only a line whose
 * `requestId` is wanted is decoded and parsed: a log of a gigabyte costs one pass over its bytes.
 */

const KEY = Buffer.from('"requestId"');
// A key or an id may be written with escapes; those of plain characters are never needed, but allowed.
const ESCAPE = Buffer.from('\\u00');
const [LF, QUOTE, COLON, OPEN, CLOSE] = [0x0a, 0x22, 0x3a, 0x7b, 0x7d];
const BYTE_ORDER_MARK = 0xef;

/** Longer lines are not entries; holding them would let one writer take all memory. */
const MAX_LINE = 64 * 1024 * 1024;

export interface LineSink {
  /** Whether a line with this `requestId` must be parsed. */
  wants(requestId: string): boolean;
  /** Handles such a line; returns whether it was an entry. */
  take(line: string): boolean;
  /** Receives a line that cannot be an entry, for diagnostics. */
  lose?(line: string): void;
}

export class LineScanner {
  readonly #sink: LineSink;
  #fragment: Buffer[] = [];
  #held = 0;
  #skipped = 0;

  constructor(sink: LineSink) {
    this.#sink = sink;
  }

  /** How many lines were not entries. */
  get skipped(): number {
    return this.#skipped;
  }

  /** How many bytes of the last, unterminated line are held. */
  get held(): number {
    return this.#held;
  }

  /** Scans the next bytes; the caller may reuse the buffer afterwards. */
  feed(chunk: Buffer): void {
    let start = 0;
    if (this.#held > 0) {
      const end = chunk.indexOf(LF);
      this.#hold(end === -1 ? chunk : chunk.subarray(0, end));
      if (end === -1) return;
      this.#endFragment();
      start = end + 1;
    }
    const rest = chunk.lastIndexOf(LF) + 1;
    if (rest > start) this.#walk(chunk.subarray(start, rest));
    this.#hold(chunk.subarray(Math.max(start, rest)));
  }

  /** Checks an unterminated last line: it counts as soon as it is a whole object. */
  peek(): void {
    const isWhole = this.#fragment.at(-1)?.at(-1) === CLOSE;
    if (!isWhole || this.#held > MAX_LINE) return;
    const line = this.#join();
    if (isCandidate(line, this.#sink)) this.#sink.take(toText(line));
  }

  /** Ends the input: a last line that is cut off is lost. */
  end(): void {
    this.peek();
    const isCut = this.#held > 0 && this.#held <= MAX_LINE && this.#fragment.at(-1)?.at(-1) !== CLOSE;
    if (isCut) this.#sink.lose?.(toText(this.#join()));
  }

  #hold(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.#held += chunk.length;
    if (this.#held > MAX_LINE) this.#fragment = [];
    else this.#fragment.push(Buffer.from(chunk));
  }

  #endFragment(): void {
    if (this.#held > MAX_LINE) this.#skipped += 1;
    else this.#look(this.#join());
    this.#fragment = [];
    this.#held = 0;
  }

  #join(): Buffer {
    const line = this.#fragment.length === 1 ? this.#fragment[0] : undefined;
    const joined = line ?? Buffer.concat(this.#fragment);
    this.#fragment = [joined];
    return joined;
  }

  // The next key is searched once for the whole region, not line by line.
  #walk(region: Buffer): void {
    let key = region.indexOf(KEY);
    let mark = region.indexOf(ESCAPE);
    for (let from = 0; from < region.length; ) {
      const end = region.indexOf(LF, from);
      if (key !== -1 && key < from) key = region.indexOf(KEY, from);
      if (mark !== -1 && mark < from) mark = region.indexOf(ESCAPE, from);
      const isPlain = (key === -1 || key >= end) && (mark === -1 || mark >= end);
      if (!isPlain) this.#look(region.subarray(from, end));
      else if (!isBlank(region, from, end)) this.#lose(region.subarray(from, end));
      from = end + 1;
    }
  }

  #look(line: Buffer): void {
    if (isBlank(line, 0, line.length)) return;
    if (!isShaped(line)) this.#lose(line);
    else if (isCandidate(line, this.#sink) && !this.#sink.take(toText(line))) this.#skipped += 1;
  }

  #lose(line: Buffer): void {
    this.#skipped += 1;
    this.#sink.lose?.(toText(line));
  }
}

function isBlank(bytes: Buffer, from: number, end: number): boolean {
  for (let at = from; at < end; at++) if (!isSpace(bytes[at])) return false;
  return true;
}

function isShaped(line: Buffer): boolean {
  let [from, end] = [0, line.length - 1];
  if (line[0] === BYTE_ORDER_MARK) from = 3;
  while (isSpace(line[from])) from++;
  while (isSpace(line[end])) end--;
  return line[from] === OPEN && line[end] === CLOSE;
}

/** Whether the line may be a wanted one; only parsing can confirm it. */
function isCandidate(line: Buffer, sink: LineSink): boolean {
  for (let key = line.indexOf(KEY); key !== -1; key = line.indexOf(KEY, key + KEY.length)) {
    const id = readText(line, key + KEY.length);
    if (id === undefined || id.includes('\\') || sink.wants(id.trim())) return true;
  }
  for (let mark = line.indexOf(ESCAPE); mark !== -1; mark = line.indexOf(ESCAPE, mark + ESCAPE.length)) {
    const next = line[mark + ESCAPE.length] ?? 0;
    if (next >= 0x32 && next <= 0x37) return true;
  }
  return false;
}

/** Returns the string value after a key, still escaped. */
function readText(line: Buffer, from: number): string | undefined {
  let at = from;
  while (isSpace(line[at])) at++;
  if (line[at] !== COLON) return undefined;
  at++;
  while (isSpace(line[at])) at++;
  if (line[at] !== QUOTE) return undefined;
  const end = line.indexOf(QUOTE, at + 1);
  return end === -1 ? undefined : line.toString('utf8', at + 1, end);
}

function toText(line: Buffer): string {
  return line.toString('utf8', line[0] === BYTE_ORDER_MARK ? 3 : 0);
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0d || byte === 0x09;
}
