/**
 * Parses untrusted Markdown into a tree of blocks. It produces no HTML: the renderer creates elements of known names only, so
 * nothing in the text can become an element.
 */

export type Inline =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'code'; readonly text: string }
  | { readonly type: 'strong' | 'em'; readonly parts: readonly Inline[] }
  | { readonly type: 'link'; readonly href: string; readonly parts: readonly Inline[] };

export type Block =
  | { readonly type: 'heading'; readonly level: number; readonly parts: readonly Inline[] }
  | { readonly type: 'paragraph'; readonly parts: readonly Inline[] }
  | { readonly type: 'code'; readonly language: string; readonly text: string }
  | { readonly type: 'list'; readonly isOrdered: boolean; readonly items: readonly (readonly Inline[])[] }
  | { readonly type: 'quote'; readonly blocks: readonly Block[] }
  | {
      readonly type: 'table';
      readonly head: readonly (readonly Inline[])[];
      readonly rows: readonly (readonly (readonly Inline[])[])[];
    }
  | { readonly type: 'rule' };

const MAX_DEPTH = 6;
const ITEM = /^\s{0,3}(?:[-*+]|(\d{1,9})[.)])\s+(.*)$/;

/** Parses a text into blocks. */
export function parseMarkdown(text: string, depth = 0): Block[] {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  const blocks: Block[] = [];
  let at = 0;
  while (at < lines.length) {
    if ((lines[at] ?? '').trim() === '') {
      at += 1;
      continue;
    }
    const read = READERS.map((reader) => reader(lines, at, depth)).find((found) => found !== undefined);
    const { block, next } = read ?? readParagraph(lines, at);
    blocks.push(block);
    at = next;
  }
  return blocks;
}

interface Read {
  readonly block: Block;
  readonly next: number;
}

type Reader = (lines: readonly string[], at: number, depth: number) => Read | undefined;

const readFence: Reader = (lines, at) => {
  const opening = /^\s{0,3}(`{3,}|~{3,})\s*([\w+-]*)/.exec(lines[at] ?? '');
  if (!opening) return undefined;
  const [, fence = '```', language = ''] = opening;
  let end = at + 1;
  while (end < lines.length && !(lines[end] ?? '').trim().startsWith(fence)) end += 1;
  return { block: { type: 'code', language, text: lines.slice(at + 1, end).join('\n') }, next: end + 1 };
};

const readHeading: Reader = (lines, at) => {
  const found = /^\s{0,3}(#{1,6})\s+(\S.*)$/.exec(lines[at] ?? '');
  if (!found) return undefined;
  const [, marks = '#', whole = ''] = found;
  const text = whole.trimEnd().replace(/\s#{1,6}$/, '');
  return { block: { type: 'heading', level: marks.length, parts: parseInline(text) }, next: at + 1 };
};

const readRule: Reader = (lines, at) =>
  /^\s{0,3}([-*_])(\s*\1){2,}\s*$/.test(lines[at] ?? '') ? { block: { type: 'rule' }, next: at + 1 } : undefined;

const readQuote: Reader = (lines, at, depth) => {
  if (depth >= MAX_DEPTH || !/^\s{0,3}>/.test(lines[at] ?? '')) return undefined;
  let end = at;
  while (end < lines.length && /^\s{0,3}>/.test(lines[end] ?? '')) end += 1;
  const inner = lines.slice(at, end).map((line) => line.replace(/^\s{0,3}>\s?/, ''));
  return { block: { type: 'quote', blocks: parseMarkdown(inner.join('\n'), depth + 1) }, next: end };
};

const readList: Reader = (lines, at) => {
  const first = ITEM.exec(lines[at] ?? '');
  if (!first) return undefined;
  const items: string[] = [];
  let end = at;
  for (; end < lines.length; end += 1) {
    const line = lines[end] ?? '';
    const item = ITEM.exec(line);
    if (item) items.push(item[2] ?? '');
    else if (/^\s{2,}\S/.test(line) && items.length > 0) items.push(`${items.pop()} ${line.trim()}`);
    else break;
  }
  const block: Block = {
    type: 'list',
    isOrdered: first[1] !== undefined,
    items: items.map((item) => parseInline(item)),
  };
  return { block, next: end };
};

const readTable: Reader = (lines, at) => {
  const head = lines[at] ?? '';
  if (!head.includes('|') || !isDivider(lines[at + 1] ?? '')) return undefined;
  let end = at + 2;
  while (end < lines.length && (lines[end] ?? '').includes('|')) end += 1;
  const rows = lines.slice(at + 2, end).map(splitRow);
  return { block: { type: 'table', head: splitRow(head), rows }, next: end };
};

const READERS: readonly Reader[] = [readFence, readHeading, readRule, readQuote, readList, readTable];

function isDivider(line: string): boolean {
  const cells = line
    .trim()
    .replace(/^\||\|$/g, '')
    .split('|');
  return line.includes('|') && cells.every((cell) => /^:?-+:?$/.test(cell.trim()));
}

function splitRow(line: string): (readonly Inline[])[] {
  const cells = line
    .trim()
    .replace(/^\||\|$/g, '')
    .split('|');
  return cells.map((cell) => parseInline(cell.trim()));
}

function readParagraph(lines: readonly string[], at: number): Read {
  let end = at + 1;
  const isOver = (line: string) => line.trim() === '' || /^\s{0,3}(#{1,6}\s|>|```|~~~)/.test(line) || ITEM.test(line);
  while (end < lines.length && !isOver(lines[end] ?? '')) end += 1;
  return { block: { type: 'paragraph', parts: parseInline(lines.slice(at, end).join('\n')) }, next: end };
}

// Every repetition has an upper bound, so that parsing time stays linear in the length of the text.
const INLINE =
  /(`{1,3})([^`]{1,2000})\1|\*\*([^*]{1,2000})\*\*|__([^_]{1,2000})__|\*([^*\s][^*]{0,2000})\*|\[([^\][]{0,500})\]\(([^()\s]{1,2000})\)|(https?:\/\/[^\s<>()"'`]{1,2000})/g;

/** Parses the inline parts of a line. */
function parseInline(text: string, depth = 0): Inline[] {
  if (depth >= MAX_DEPTH) return [{ type: 'text', text }];
  const parts: Inline[] = [];
  let last = 0;
  for (const found of text.matchAll(INLINE)) {
    if (found.index > last) parts.push({ type: 'text', text: text.slice(last, found.index) });
    parts.push(toPart(found, depth));
    last = found.index + found[0].length;
  }
  if (last < text.length) parts.push({ type: 'text', text: text.slice(last) });
  return parts;
}

function toPart(found: RegExpExecArray | RegExpMatchArray, depth: number): Inline {
  const [whole, , code, strong, strong2, em, label, target, bare] = found;
  if (code !== undefined) return { type: 'code', text: code };
  const bold = strong ?? strong2;
  if (bold !== undefined) return { type: 'strong', parts: parseInline(bold, depth + 1) };
  if (em !== undefined) return { type: 'em', parts: parseInline(em, depth + 1) };
  const href = toSafeLink(target ?? bare ?? '');
  if (href === undefined) return { type: 'text', text: whole };
  return { type: 'link', href, parts: [{ type: 'text', text: label || href }] };
}

/** Returns a URL that is safe as a link; undefined for others, such as `javascript:` or `data:`. */
export function toSafeLink(target: string): string | undefined {
  if (!URL.canParse(target)) return undefined;
  const { protocol, href } = new URL(target);
  return protocol === 'http:' || protocol === 'https:' || protocol === 'mailto:' ? href : undefined;
}
