/** The judge's input and output. The judge uses nothing else of the product. */
import type { DeliveredOutcome, JournalEntry } from '../../apps/chaos/journal.ts';

/** One task as the store lists it. */
export interface StoredTask {
  readonly taskId: string;
  readonly callId: string;
  readonly status: string;
  readonly isEnded: boolean;
  readonly idempotent: boolean;
  /** Attempts that were started, or at least claimed, and the maximum. */
  readonly attempts: number;
  readonly maxAttempts: number;
  /** How often its tool failed in a retryable way. */
  readonly retries?: number;
  /** How the task ended. */
  readonly told?: DeliveredOutcome;
  /** How many `ended` events its history has. */
  readonly endings: number;
}

export interface LeftProcess {
  readonly pid: number;
  readonly command: string;
}

export interface Evidence {
  readonly journal: readonly JournalEntry[];
  /** Absent where the store cannot be read, which is so for a foreign server. */
  readonly tasks?: readonly StoredTask[];
  /** Processes that were still running after all work had ended and they had had time to exit. */
  readonly left: readonly LeftProcess[];
}

export interface JudgeLimits {
  /** How long after its request, and after the last fault before its end, a call may take to end. @default 60_000 */
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
  /** What was observed, in one sentence. */
  readonly says: string;
}
