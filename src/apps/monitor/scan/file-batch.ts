/** Processes one batch of a directory's files: decides, hashes what must be hashed, writes what changed. */
import type { MonitorConfig } from '../config/config.ts';
import type { FileRecord, KnownFile, MonitorDatabase } from '../monitor-database.ts';
import type { HashPool } from './hash-pool.ts';
import type { HashReply } from './hash-thread.ts';
import { joinPath, type RawPath, toPathText } from './raw-path.ts';
import type { SyncReport } from './sync-report.ts';
import { createTurn } from './turn.ts';
import type { FileLooks } from './walk-thread.ts';

export interface BatchParts {
  readonly database: MonitorDatabase;
  readonly config: MonitorConfig;
  readonly pool: HashPool;
  readonly report: SyncReport;
  readonly rehash: boolean;
  /** How many more files the database may hold. */
  readonly room: { left: number };
}

export interface FileBatch {
  readonly directory: RawPath;
  readonly names: readonly RawPath[];
  /** The stored record of each name. */
  readonly known: readonly (KnownFile | undefined)[];
  /** The current size and time of each name, if they were read. */
  readonly looks?: FileLooks | undefined;
  readonly isWanted: (name: string) => boolean;
  readonly toPriority: (name: string) => number;
}

/** A file that is to be stored or updated. */
interface Candidate {
  readonly name: RawPath;
  readonly priority: number;
  readonly known: KnownFile | undefined;
  /** Whether its current size and time equal the stored ones. */
  readonly isSame: boolean;
}

type KeptRecord = FileRecord & { readonly isNew: boolean };

/** Counts updates and removals only after they are committed. */
export async function syncBatch(parts: BatchParts, batch: FileBatch): Promise<void> {
  const { candidates: all, unwanted } = await sortOut(parts, batch);
  const candidates = all.filter(({ isSame }) => !isSame);
  const reply = await hash(parts, batch.directory, candidates);
  const kept = toKept(candidates, reply, parts.report);
  const gone = toGone(parts, batch.directory, { candidates, reply });
  const same = [...all.filter(({ isSame }) => isSame), ...toSame(candidates, reply)];
  const repriced = same.filter(({ known, priority }) => known?.priority !== priority);
  parts.report.count('unchanged', same.length - repriced.length);
  const dropped = [...unwanted, ...gone];
  if (kept.length + repriced.length + dropped.length === 0) return;
  const removed = await parts.database.write({ directory: batch.directory, kept, repriced, dropped });
  parts.room.left += removed - kept.filter(({ isNew }) => isNew).length;
  parts.report.count('updated', kept.length + repriced.length);
  parts.report.count('removed', removed);
}

async function sortOut({ database, config, report, room, rehash }: BatchParts, batch: FileBatch) {
  const turn = createTurn();
  const candidates: Candidate[] = [];
  const unwanted: RawPath[] = [];
  const floor = room.left <= 0 ? (database.getLowestPriority() ?? -1) : -1;
  for (const [at, name] of batch.names.entries()) {
    // Matching long patterns takes time, so yield the thread to others.
    const wait = turn();
    if (wait) await wait;
    const text = toPathText(name);
    const known = batch.known[at];
    const priority = batch.toPriority(text);
    const isKept = batch.isWanted(text) && priority >= config.min_priority;
    // A file that would be dropped again at the end of the sync need not be hashed.
    if (isKept && (known || priority > floor)) {
      candidates.push({ name, priority, known, isSame: !rehash && isSameFile(batch.looks, at, known) });
      continue;
    }
    report.count('excluded');
    if (known) unwanted.push(name);
  }
  return { candidates, unwanted };
}

function isSameFile(looks: FileLooks | undefined, at: number, known: KnownFile | undefined): boolean {
  if (!looks || !known) return false;
  return looks.bytes[at] === known.bytes && looks.mtimesMs[at] === known.mtimeMs;
}

async function hash(parts: BatchParts, directory: RawPath, candidates: readonly Candidate[]): Promise<HashReply> {
  if (candidates.length === 0) return { hashed: [], unhashed: [] };
  const bytes = new Float64Array(candidates.length).fill(-1);
  const mtimesMs = new Float64Array(candidates.length);
  for (const [at, { known }] of candidates.entries()) {
    if (known === undefined || parts.rehash) continue;
    bytes[at] = known.bytes;
    mtimesMs[at] = known.mtimeMs;
  }
  return parts.pool.run({ directory, names: candidates.map(({ name }) => name), bytes, mtimesMs });
}

function toKept(candidates: readonly Candidate[], { hashed }: HashReply, report: SyncReport): KeptRecord[] {
  for (const { bytes } of hashed) report.noteHashed(bytes);
  return hashed.flatMap(({ at, bytes, mtimeMs, checksum }) => {
    const { name, priority, known } = candidates[at] as Candidate;
    const record = { name, bytes, mtimeMs, checksum, priority, isNew: known === undefined };
    if (!known || !isEqual(record, known)) return [record];
    report.count('unchanged');
    return [];
  });
}

function isEqual(a: KnownFile, b: KnownFile): boolean {
  return a.checksum === b.checksum && a.bytes === b.bytes && a.mtimeMs === b.mtimeMs && a.priority === b.priority;
}

const WARNINGS: Readonly<Record<string, string>> = {
  changed: 'changed while it was hashed; the next sync takes it up',
  gone: 'vanished before it could be hashed',
};

/** Reports files that could not be hashed; returns the names that have a record but no file. */
function toGone(
  { report }: BatchParts,
  directory: RawPath,
  { candidates, reply }: { candidates: readonly Candidate[]; reply: HashReply },
): RawPath[] {
  const gone: RawPath[] = [];
  for (const { at, why } of reply.unhashed) {
    // Stopped before the file was read; a later sync handles it.
    if (why === 'stopped') continue;
    const { name, known } = candidates[at] as Candidate;
    noteUnhashed(report, joinPath(directory, name), why);
    if (why === 'gone' && known) gone.push(name);
  }
  return gone;
}

function noteUnhashed(report: SyncReport, path: RawPath, why: string): void {
  const warning = WARNINGS[why];
  if (warning === undefined) {
    report.noteUnreadableFile(path, why);
    return;
  }
  report.count('unreadable');
  report.warn(path, warning);
}

/** The candidates that the reply does not mention: they are unchanged. */
function toSame(candidates: readonly Candidate[], { hashed, unhashed }: HashReply): readonly Candidate[] {
  if (hashed.length + unhashed.length === 0) return candidates;
  const looked = new Set([...hashed, ...unhashed].map(({ at }) => at));
  return candidates.filter((_candidate, at) => !looked.has(at));
}
