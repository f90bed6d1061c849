import type { Actor } from './actor.ts';
import type { Json } from './json.ts';
import type { Status } from './status.ts';

/** What a failed tool leaves behind. */
export interface OutcomeError {
  /** A `TaskErrorCode`, or the tool's own code. */
  readonly code: string;
  readonly message: string;
  /** The JSON-RPC error number, when the tool chose one. */
  readonly rpc?: number;
  readonly data?: Json;
  readonly stack?: string;
}

/**
 * How a task ended.
 *
 * - result:      the tool returned; what it means (even `isError`) is the dialect's business.
 * - error:       the tool threw, crashed its process, ran out of time, or returned something that cannot be kept.
 * - cancelled:   somebody asked for it; `stopped` tells how the work was, where its worker could find out.
 * - interrupted: its worker was lost and the work may not be repeated, or was lost too often; `details` are for the owner
 *                alone, and no client gets them: where the worker's log lies, and its last lines.
 * - expired:     it ended as `was`, and its payload has been dropped since: by time, or `by` somebody who pruned it.
 */
export type Outcome =
  | { readonly kind: 'result'; readonly value: Json }
  | { readonly kind: 'error'; readonly error: OutcomeError }
  | { readonly kind: 'cancelled'; readonly reason: string; readonly stopped?: string }
  | { readonly kind: 'interrupted'; readonly reason: string; readonly details?: string }
  | { readonly kind: 'expired'; readonly was: OutcomeKind; readonly reason: string; readonly by?: Actor };

/** How a task can end. */
export type OutcomeKind = Outcome['kind'];

/** An outcome a task can be settled with; expiry comes later, from the sweeper. */
export type SettledOutcome = Exclude<Outcome, { kind: 'expired' }>;

const STATUS_OF = {
  result: 'completed',
  error: 'failed',
  cancelled: 'cancelled',
  interrupted: 'failed',
} as const satisfies Record<SettledOutcome['kind'], Status>;

export function toStatus(outcome: SettledOutcome): Status {
  return STATUS_OF[outcome.kind];
}

/** One sentence for `statusMessage`; nothing for a result. */
export function toStatusMessage(outcome: SettledOutcome): string | undefined {
  switch (outcome.kind) {
    case 'result':
      return undefined;
    case 'error':
      return outcome.error.message;
    case 'cancelled':
    case 'interrupted':
      return outcome.reason;
  }
}
