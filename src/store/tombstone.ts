import type { Actor } from '../task/actor.ts';
import { type Outcome, type SettledOutcome, toStatusMessage } from '../task/outcome.ts';

/** The outcome kept by a tombstone: kind and reason of the original outcome, never its payload. */
export function toExpired(outcome: SettledOutcome, by?: Actor): Outcome {
  const reason = toStatusMessage(outcome) ?? 'The task completed; its result was dropped when its time was up';
  return { kind: 'expired', was: outcome.kind, reason, ...(by && { by }) };
}
