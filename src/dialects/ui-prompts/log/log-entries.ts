/** Visits every entry of a log, rotated files first. */
import { lstat } from 'node:fs/promises';
import { isOwn } from '../../../process/plain-file.ts';
import { type PromptEntry, parseLine } from '../wire.ts';
import { LogFile } from './log-file.ts';
import { listSiblings } from './log-history.ts';

export interface EntryVisitor {
  visit(entry: PromptEntry, line: string): void;
  /** Receives a line that is not an entry. */
  skip?(line: string): void;
  /** Skips entries of other ids without parsing them. */
  readonly requestId?: string;
  /** Skips rotated files that another user may have put there. */
  readonly isOwn?: boolean;
}

/** Reads a log and its rotated files once; returns how many lines were not entries. */
export async function visitEntries(path: string, visitor: EntryVisitor): Promise<number> {
  const siblings = (await listSiblings(path)).map((sibling) => sibling.path);
  let skipped = 0;
  const seen = new Set<string>();
  for (const file of [...(visitor.isOwn ? await filterOwn(siblings) : siblings), path]) {
    skipped += await visitFile(file, visitor, seen);
  }
  return skipped;
}

/** Drops files of other users: any user who can create a file in the directory could forge entries for an id. */
async function filterOwn(paths: readonly string[]): Promise<string[]> {
  const stats = await Promise.all(paths.map((path) => lstat(path).catch(() => undefined)));
  return paths.filter((_, index) => {
    const found = stats[index];
    return found?.isFile() && isOwn(found);
  });
}

/** Returns the entries of one id, or of all, in files of this user. */
export async function readEntries(path: string, requestId?: string): Promise<PromptEntry[]> {
  const entries: PromptEntry[] = [];
  await visitEntries(path, {
    visit: (entry) => {
      if (requestId === undefined || entry.requestId === requestId) entries.push(entry);
    },
    ...(requestId !== undefined && { requestId }),
    isOwn: true,
  });
  return entries;
}

async function visitFile(path: string, visitor: EntryVisitor, seen: Set<string>): Promise<number> {
  const sink = {
    wants: (id: string) => visitor.requestId === undefined || visitor.requestId === id,
    take(line: string) {
      const entry = parseLine(line);
      if (entry) visitor.visit(entry, line);
      else visitor.skip?.(line);
      return entry !== undefined;
    },
    lose: (line: string) => visitor.skip?.(line),
  };
  const file = await LogFile.open(path, sink);
  if (file === undefined) return 0;
  try {
    if (seen.has(file.id)) return 0;
    seen.add(file.id);
    return await file.scan(sink, { end: Infinity });
  } finally {
    await file.close();
  }
}
