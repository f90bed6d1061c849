/**
 * Keeps a log below its size, and loses nothing that somebody may still want.
 *
 * The whole file moves to a numbered sibling, which our readers follow; the new file begins with the prompts that wait
 * for an answer, so that readers who know only the one file still see them. The log's name always leads to a file.
 */
import { appendFile, link, open, rename, rm, stat } from 'node:fs/promises';
import { crashPoint } from '../../crash-point.ts';
import { LogFile } from './log-file.ts';
import { listSiblings } from './log-history.ts';
import { type PromptEntry, parseLine } from './wire.ts';

export interface RotationOptions {
  readonly maxBytes: number;
  /** How long an unanswered prompt counts as unread, and a rotated file is kept. */
  readonly keepMs: number;
  /** Epoch ms. */
  readonly now: number;
}

// Others look every few seconds at most; what is newer stays where they look, whatever its size.
const FRESH_MS = 60_000;

/** Moves the log to its next sibling. Only under the log's lock. */
export async function rotate(path: string, options: RotationOptions): Promise<void> {
  const siblings = await dropLeftovers(path);
  const sibling = `${path}.${(siblings.at(-1)?.number ?? 0) + 1}`;
  const { lines, end } = await selectCarried(path, options);
  await writeNext(`${path}.next`, lines);
  await keepAs(path, sibling);
  crashPoint('prompt-rotate:before');
  await rename(`${path}.next`, path);
  crashPoint('prompt-rotate:after');
  await carryLate(sibling, { from: end, to: path });
  await prune(siblings, options);
}

/** A rotation that was cut short leaves a second name of the log itself. */
async function dropLeftovers(path: string) {
  const { dev, ino } = await stat(path);
  const siblings = await listSiblings(path);
  const stats = await Promise.all(siblings.map((sibling) => stat(sibling.path)));
  const isSame = siblings.map((_, index) => stats[index]?.dev === dev && stats[index]?.ino === ino);
  await Promise.all(siblings.filter((_, index) => isSame[index]).map((sibling) => rm(sibling.path, { force: true })));
  return siblings.filter((_, index) => !isSame[index]);
}

interface Carried {
  readonly lines: readonly string[];
  /** Up to where the file was looked through. */
  readonly end: number;
}

async function selectCarried(path: string, options: RotationOptions): Promise<Carried> {
  const window = new CarryWindow(options);
  const file = await LogFile.open(path, {
    wants: () => true,
    take(line) {
      const entry = parseLine(line);
      if (entry) window.add(entry, line);
      return entry !== undefined;
    },
  });
  if (file === undefined) return { lines: [], end: 0 };
  try {
    await file.pull();
    return { lines: window.toLines(), end: file.boundary };
  } finally {
    await file.close();
  }
}

/** The newest requests that nobody has answered, within bounds. */
class CarryWindow {
  readonly #options: RotationOptions;
  readonly #open = new Map<string, { line: string; at: number }>();
  readonly #answered = new Set<string>();
  #bytes = 0;

  constructor(options: RotationOptions) {
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

  toLines(): string[] {
    return [...this.#open.values()].map(({ line }) => line);
  }

  // The oldest stay behind in the sibling.
  #trim(): void {
    const { now, maxBytes } = this.#options;
    for (const [requestId, { at }] of this.#open) {
      if (this.#bytes <= maxBytes / 2) return;
      if (at < now - FRESH_MS) this.#drop(requestId);
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
  } catch {
    // A file system without second names: for a moment there is no log.
    await rename(path, sibling);
  }
}

/** Foreign writers do not wait for a rotation; what they appended meanwhile comes along. */
async function carryLate(sibling: string, { from, to }: { from: number; to: string }): Promise<void> {
  await using file = await open(sibling);
  const { size } = await file.stat();
  if (size <= from) return;
  const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from);
  const late = buffer.subarray(0, bytesRead);
  await appendFile(to, late.subarray(0, late.lastIndexOf('\n') + 1));
}

async function prune(siblings: readonly { readonly path: string }[], { now, keepMs }: RotationOptions) {
  for (const { path } of siblings) {
    const { mtimeMs } = await stat(path);
    if (mtimeMs < now - keepMs) await rm(path, { force: true });
  }
}
