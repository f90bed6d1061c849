/** The files that a log was moved to: by our rotation, `<log>.1`, `<log>.2` and so on, or by another program's. */
import type { Stats } from 'node:fs';
import { lstat, readdir, rm } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import type { LineSink } from './line-scanner.ts';
import { LogFile } from './log-file.ts';
import type { LogMark } from './log-mark.ts';

export interface Sibling {
  readonly path: string;
  readonly number: number;
}

/** Returns the files that our rotation made, oldest first. */
export async function listSiblings(path: string): Promise<Sibling[]> {
  const prefix = `${basename(path)}.`;
  const names = await readdir(dirname(path)).catch(() => []);
  const numbers = names.flatMap((name) => {
    const rest = name.startsWith(prefix) ? name.slice(prefix.length) : '';
    return /^[1-9]\d{0,9}$/.test(rest) ? [Number(rest)] : [];
  });
  return numbers.sort((a, b) => a - b).map((number) => ({ path: join(dirname(path), `${prefix}${number}`), number }));
}

type FileId = Pick<Stats, 'dev' | 'ino'>;

/** Returns how many names the log has here: its own, and those that a rotation in progress has given it. */
export async function countNames(path: string, id: FileId): Promise<number> {
  return 1 + (await findNames(path, id)).length;
}

/** Removes what an interrupted rotation left: a second name of the log itself. Returns the other siblings. */
export async function dropLeftovers(path: string): Promise<Sibling[]> {
  const left = await findNames(path, await lstat(path));
  await Promise.all(left.map((sibling) => rm(sibling.path, { force: true })));
  return (await listSiblings(path)).filter(({ number }) => !left.some((one) => one.number === number));
}

async function findNames(path: string, { dev, ino }: FileId): Promise<Sibling[]> {
  const siblings = await listSiblings(path);
  const stats = await Promise.all(siblings.map((sibling) => lstat(sibling.path).catch(() => undefined)));
  return siblings.filter((_, index) => stats[index]?.dev === dev && stats[index]?.ino === ino);
}

// A directory with more entries is not searched for a renamed log.
const MAX_NAMES = 10_000;
// Files that our own writers create next to a log, and files that other programs have compressed.
const NO_LOG = /\.(lock|takeover|next|gz|bz2|xz|zst)$/;

/**
 * Returns the files that other programs made of the log: the marked file under any name, and names in the style of
 * rotation tools.
 */
async function listRenamed(path: string, mark: LogMark | undefined): Promise<string[]> {
  const [directory, name, ext] = [dirname(path), basename(path), extname(path)];
  const names = await readdir(directory).catch(() => []);
  if (names.length > MAX_NAMES) return [];
  const siblings = (await listSiblings(path)).map((sibling) => basename(sibling.path));
  const others = names.filter((one) => one !== name && !siblings.includes(one));
  const found = await Promise.all(
    others.map(async (one) => {
      const stats = await lstat(join(directory, one), { bigint: true }).catch(() => undefined);
      if (!stats?.isFile()) return [];
      const isMarked = mark !== undefined && `${stats.dev}:${stats.ino}` === mark.id;
      return isMarked || isRotated(one, { name, ext }) ? [{ path: join(directory, one), at: stats.mtimeNs }] : [];
    }),
  );
  return found
    .flat()
    .sort((a, b) => (a.at < b.at ? -1 : 1))
    .map((one) => one.path);
}

/** Matches `log.jsonl.old`, `log.jsonl-20300101`, `log-20300101.jsonl`, `log.1.jsonl`. */
function isRotated(one: string, { name, ext }: { readonly name: string; readonly ext: string }): boolean {
  const stem = name.slice(0, name.length - ext.length);
  const isBehind = /^[.-]./.test(one.slice(name.length)) && one.startsWith(name);
  const isBetween = /^[.-]\d[\w.-]*$/.test(one.slice(stem.length, one.length - ext.length)) && one.startsWith(stem);
  return !NO_LOG.test(one) && (isBehind || (isBetween && one.endsWith(ext)));
}

export interface HistoryOptions {
  /** Files older than the marked one are skipped. */
  readonly mark?: LogMark | undefined;
  /** Files up to and including this one are skipped. */
  readonly afterId?: string;
  /** Ids of files that are followed already. */
  readonly without: readonly string[];
}

/** Reads once the files that a log was moved to. */
export async function scanHistory(path: string, sink: LineSink, options: HistoryOptions): Promise<void> {
  const { mark, afterId, without } = options;
  const files: LogFile[] = [];
  try {
    const siblings = await listSiblings(path);
    for (const moved of [...(await listRenamed(path, mark)), ...siblings.map((sibling) => sibling.path)]) {
      const file = await LogFile.open(moved, sink).catch(() => undefined);
      if (file) files.push(file);
    }
    const first = await findMarked(files, mark);
    const after = files.findIndex(({ id }) => id === afterId);
    for (const file of files.slice(Math.max(first, after + 1, 0))) {
      if (!without.includes(file.id)) await file.scan(sink, { mark, end: Infinity });
    }
  } finally {
    await Promise.all(files.map((file) => file.close()));
  }
}

async function findMarked(files: readonly LogFile[], mark: LogMark | undefined): Promise<number> {
  const marked = await Promise.all(files.map((file) => file.isMarked(mark)));
  return marked.indexOf(true);
}
