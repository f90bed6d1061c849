/** What the judge gets to see, and what it can say. It knows nothing else of the product. */
import type { JournalEntry, Told } from '../../apps/chaos/journal.ts';

/** One task as the store lists it. */
export interface StoredTask {
  readonly taskId: string;
  readonly callId: string;
  readonly status: string;
  readonly isEnded: boolean;
  readonly idempotent: boolean;
  /** Attempts that were begun, or at least claimed, and how many there may be. */
  readonly attempts: number;
  readonly maxAttempts: number;
  /** How often its tool failed in a way that is worth another attempt. */
  readonly retries?: number;
  /** How it ended. */
  readonly told?: Told;
  /** How often its history says that it ended. */
  readonly endings: number;
}

export interface LeftProcess {
  readonly pid: number;
  readonly command: string;
}

export interface Evidence {
  readonly journal: readonly JournalEntry[];
  /** Nothing where the store cannot be read: a server of somebody else's. */
  readonly tasks?: readonly StoredTask[];
  /** Processes that were still there when all work had ended and everybody had had time to go. */
  readonly left: readonly LeftProcess[];
}

export interface JudgeLimits {
  /** How long after its asking, and after the last fault before its end, a call may end. @default 60_000 */
  readonly lateMs?: number;
}

export const VERDICTS = [
  'lost',
  'doubled',
  'stuck',
  'late',
  'contradictory',
  'interrupted',
  'acted-after-end',
  'left-running',
] as const;

export type Verdict = (typeof VERDICTS)[number];

export interface Violation {
  readonly verdict: Verdict;
  readonly callId?: string;
  /** What was seen, in one sentence. */
  readonly says: string;
}
