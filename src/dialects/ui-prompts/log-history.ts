/** The files that a log was rotated to: `<log>.1`, `<log>.2` and so on, the highest number the newest. */
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { LineSink } from './line-scanner.ts';
import { LogFile } from './log-file.ts';
import type { LogMark } from './log-mark.ts';

export interface Sibling {
  readonly path: string;
  readonly number: number;
}

/** Oldest first. */
export async function listSiblings(path: string): Promise<Sibling[]> {
  const prefix = `${basename(path)}.`;
  const names = await readdir(dirname(path)).catch(() => []);
  const numbers = names.flatMap((name) => {
    const rest = name.startsWith(prefix) ? name.slice(prefix.length) : '';
    return /^[1-9]\d{0,9}$/.test(rest) ? [Number(rest)] : [];
  });
  return numbers.sort((a, b) => a - b).map((number) => ({ path: join(dirname(path), `${prefix}${number}`), number }));
}

export interface HistoryOptions {
  /** Files older than the marked one are left out. */
  readonly mark?: LogMark | undefined;
  /** Files up to and with this one are left out. */
  readonly afterId?: string;
  /** Files that are followed already. */
  readonly without: readonly string[];
}

/** Reads the rotated files of a log once. */
export async function scanHistory(path: string, sink: LineSink, options: HistoryOptions): Promise<void> {
  const { mark, afterId, without } = options;
  const files: LogFile[] = [];
  try {
    for (const sibling of await listSiblings(path)) {
      const file = await LogFile.open(sibling.path, sink).catch(() => undefined);
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
