/** Every entry of a log, rotated files first, for those who must see all of them. */
import { LogFile } from './log-file.ts';
import { listSiblings } from './log-history.ts';
import { type PromptEntry, parseLine } from './wire.ts';

export interface EntryVisitor {
  visit(entry: PromptEntry, line: string): void;
  /** Leaves out entries of other ids without parsing them. */
  readonly requestId?: string;
}

/** Reads a log and its rotated files once; returns how many lines were no entries. */
export async function visitEntries(path: string, visitor: EntryVisitor): Promise<number> {
  const siblings = await listSiblings(path);
  let skipped = 0;
  const seen = new Set<string>();
  for (const file of [...siblings.map((sibling) => sibling.path), path]) {
    skipped += await visitFile(file, visitor, seen);
  }
  return skipped;
}

/** The entries of one id, or of all. */
export async function readEntries(path: string, requestId?: string): Promise<PromptEntry[]> {
  const entries: PromptEntry[] = [];
  await visitEntries(path, {
    visit: (entry) => {
      if (requestId === undefined || entry.requestId === requestId) entries.push(entry);
    },
    ...(requestId !== undefined && { requestId }),
  });
  return entries;
}

async function visitFile(path: string, visitor: EntryVisitor, seen: Set<string>): Promise<number> {
  const sink = {
    wants: (id: string) => visitor.requestId === undefined || visitor.requestId === id,
    take(line: string) {
      const entry = parseLine(line);
      if (entry) visitor.visit(entry, line);
      return entry !== undefined;
    },
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
