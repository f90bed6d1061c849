/** How fast files are synced, measured from past syncs; a guess where there are none. */
import type { SyncRecord } from '../monitor-database.ts';

export interface Amount {
  readonly files: number;
  readonly bytes: number;
}

/** The time per file, and the throughput in bytes. */
export interface Pace {
  readonly msPerFile: number;
  readonly bytesPerMs: number;
}

/** Initial guess: one second for 100 files, and a slow disk. */
const OPENING: Pace = { msPerFile: 10, bytesPerMs: 100_000 };

// For small files the number determines the time, for larger ones the bytes. Samples below these minimums are ignored, because
// starting the threads takes longer.
const LARGE_BYTES = 262_144;
const MIN_FILES = 100;
const MIN_BYTES = 10_000_000;

type Sample = Pick<SyncRecord, 'filesProcessed' | 'filesHashed' | 'bytesHashed' | 'durationMs'>;

export function toPace(syncs: readonly Sample[]): Pace {
  // When most files were only checked and not hashed, the duration says nothing about hashing.
  const telling = syncs.filter(
    ({ filesHashed, filesProcessed }) => filesHashed > 0 && filesHashed * 2 >= filesProcessed,
  );
  const isLarge = ({ bytesHashed, filesHashed }: Sample) => bytesHashed / filesHashed >= LARGE_BYTES;
  const large = toTotal(telling.filter(isLarge));
  const small = toTotal(telling.filter((sync) => !isLarge(sync)));
  return {
    msPerFile: small.files >= MIN_FILES ? small.ms / small.files : OPENING.msPerFile,
    bytesPerMs: large.bytes >= MIN_BYTES ? large.bytes / large.ms : OPENING.bytesPerMs,
  };
}

export function toDurationMs({ files, bytes }: Amount, { msPerFile, bytesPerMs }: Pace): number {
  return files * msPerFile + bytes / bytesPerMs;
}

function toTotal(syncs: readonly Sample[]) {
  const sum = (of: (sync: Sample) => number) => syncs.reduce((total, sync) => total + of(sync), 0);
  return {
    files: sum(({ filesHashed }) => filesHashed),
    bytes: sum(({ bytesHashed }) => bytesHashed),
    ms: sum(({ durationMs }) => durationMs),
  };
}
