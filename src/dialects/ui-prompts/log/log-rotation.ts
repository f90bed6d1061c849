/**
 * Keeps a log below its size limit without losing entries that may still be needed.
 *
 * The whole file moves to a numbered sibling, which our readers follow; the new file begins with the prompts that wait
 * for an answer, so that readers that know only the one file still see them. The log's name always leads to a file.
 */
import { link, lstat, open, rename, rm } from 'node:fs/promises';
import { crashPoint } from '../../../crash-point.ts';
import { type PromptEntry, parseLine } from '../wire.ts';
import { LogFile } from './log-file.ts';
import { openLog } from './log-guard.ts';
import { dropLeftovers } from './log-history.ts';

export interface RotationOptions {
  readonly maxBytes: number;
  /** How long, in ms, an unanswered prompt counts as unread, and a rotated file is kept. */
  readonly keepMs: number;
  /** Epoch ms. */
  readonly now: number;
}

// Other readers poll at least every few seconds; newer entries stay in the file they read, whatever its size.
const FRESH_MS = 60_000;

// How many times its size limit a log may reach while everything in it is new, or claims to be.
const MAX_GROWTH = 4;

/**
 * Moves the log to its next sibling, unless most of it would have to be carried over: new entries must stay in the one
 * file, and would be copied into every sibling too. Call only with the log's lock held.
 */
export async function rotate(path: string, options: RotationOptions): Promise<void> {
  const { size } = await lstat(path);
  const isHuge = size > MAX_GROWTH * options.maxBytes;
  if (!isHuge && isPostponed(path, { size, now: options.now })) return;
  const { lines, end, bytes } = await selectCarried(path, { ...options, freshMs: isHuge ? 0 : FRESH_MS });
  if (bytes > options.maxBytes / 2) return postpone(path, { size, now: options.now });
  const siblings = await dropLeftovers(path);
  const sibling = `${path}.${(siblings.at(-1)?.number ?? 0) + 1}`;
  await writeNext(`${path}.next`, lines);
  await keepAs(path, sibling);
  crashPoint('prompt-rotate:before');
  await rename(`${path}.next`, path);
  crashPoint('prompt-rotate:after');
  await carryLate(sibling, { from: end, to: path });
  await prune(siblings, options);
}

interface Postponed {
  /** The size of the log. */
  readonly size: number;
  /** The time of that size, epoch ms. */
  readonly now: number;
}

const postponed = new Map<string, Postponed>();
const MAX_POSTPONED = 1000;

function postpone(path: string, why: Postponed): void {
  if (postponed.size >= MAX_POSTPONED) postponed.clear();
  postponed.set(path, why);
}

/** Whether to skip the scan: a log from which nothing can be removed yet is not read for every entry added to it. */
function isPostponed(path: string, { size, now }: Postponed): boolean {
  const known = postponed.get(path);
  if (!known) return false;
  const isSame = now >= known.now && now < known.now + FRESH_MS && size >= known.size && size < 2 * known.size;
  if (!isSame) postponed.delete(path);
  return isSame;
}

interface Carried {
  readonly lines: readonly string[];
  /** The position up to which the file was read. */
  readonly end: number;
  /** The total length of the lines. */
  readonly bytes: number;
}

interface CarryOptions extends RotationOptions {
  /** Newer entries are carried over whatever their size; 0 for none. */
  readonly freshMs: number;
}

async function selectCarried(path: string, options: CarryOptions): Promise<Carried> {
  const window = new CarryWindow(options);
  const file = await LogFile.open(path, {
    wants: () => true,
    take(line) {
      const entry = parseLine(line);
      if (entry) window.add(entry, line);
      return entry !== undefined;
    },
  });
  if (file === undefined) return { lines: [], end: 0, bytes: 0 };
  try {
    await file.pull();
    return { lines: window.toLines(), end: file.boundary, bytes: window.bytes };
  } finally {
    await file.close();
  }
}

/** The newest unanswered requests, within the size limit. */
class CarryWindow {
  readonly #options: CarryOptions;
  readonly #open = new Map<string, { line: string; at: number }>();
  readonly #answered = new Set<string>();
  #bytes = 0;

  constructor(options: CarryOptions) {
    this.#options = options;
  }

  add(entry: PromptEntry, raw: string): void {
    const { now, keepMs } = this.#options;
    const line = raw.trim();
    const { requestId } = entry;
    const at = Date.parse(entry.ts) || now - FRESH_MS;
    this.#drop(requestId);
    if (entry.action === 'response') this.#answered.add(requestId);
    else if (at >= now - keepMs && !this.#answered.has(requestId)) {
      this.#open.set(requestId, { line, at });
      this.#bytes += line.length;
      this.#trim();
    }
  }

  get bytes(): number {
    return this.#bytes;
  }

  toLines(): string[] {
    return [...this.#open.values()].map(({ line }) => line);
  }

  // The oldest stay in the sibling.
  #trim(): void {
    const { now, maxBytes, freshMs } = this.#options;
    for (const [requestId, { at }] of this.#open) {
      if (this.#bytes <= maxBytes / 2) return;
      if (freshMs === 0 || at < now - freshMs) this.#drop(requestId);
    }
  }

  #drop(requestId: string): void {
    const known = this.#open.get(requestId);
    if (known === undefined) return;
    this.#bytes -= known.line.length;
    this.#open.delete(requestId);
  }
}

async function writeNext(path: string, lines: readonly string[]): Promise<void> {
  await rm(path, { force: true });
  await using file = await open(path, 'wx', 0o600);
  await file.writeFile(lines.map((line) => `${line}\n`).join(''));
  await file.sync();
}

async function keepAs(path: string, sibling: string): Promise<void> {
  try {
    await link(path, sibling);
  } catch (error) {
    // An existing file is not overwritten.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error;
    // A file system without hard links: for a moment there is no log.
    await rename(path, sibling);
  }
}

/** Carries over what foreign writers appended meanwhile: they do not wait for a rotation. */
async function carryLate(sibling: string, { from, to }: { from: number; to: string }): Promise<void> {
  await using file = await open(sibling);
  const { size } = await file.stat();
  if (size <= from) return;
  const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from);
  const late = buffer.subarray(0, bytesRead);
  await using log = await openLog(to);
  await log.appendFile(late.subarray(0, late.lastIndexOf('\n') + 1));
}

async function prune(siblings: readonly { readonly path: string }[], { now, keepMs }: RotationOptions) {
  for (const { path } of siblings) {
    const stats = await lstat(path);
    if (stats.isFile() && stats.mtimeMs < now - keepMs) await rm(path, { force: true });
  }
}
