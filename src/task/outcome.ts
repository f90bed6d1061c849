import type { Actor } from './actor.ts';
import type { Json } from './json.ts';
import type { Status } from './status.ts';

/** The error of a failed tool. */
export interface OutcomeError {
  /** A `TaskErrorCode`, or the tool's own code. */
  readonly code: string;
  readonly message: string;
  /** The JSON-RPC error code, when the tool chose one. */
  readonly rpc?: number;
  readonly data?: Json;
  readonly stack?: string;
}

/**
 * How a task ended.
 *
 * - result:      the tool returned; what the value means (even `isError`) is up to the dialect.
 * - error:       the tool threw, crashed its process, ran out of time, or returned something that cannot be stored.
 * - cancelled:   it was cancelled; `stopped` says how the work stopped, where its worker could find out.
 * - interrupted: its worker was lost and the work may not be repeated, or was lost too often; `details` are for the owner
 *                only and never sent to clients: the path of the worker's log, and its last lines.
 * - expired:     it ended as `was`, and its payload has since been dropped: by its TTL, or because `by` pruned it.
 */
export type Outcome =
  | { readonly kind: 'result'; readonly value: Json }
  | { readonly kind: 'error'; readonly error: OutcomeError }
  | { readonly kind: 'cancelled'; readonly reason: string; readonly stopped?: string }
  | { readonly kind: 'interrupted'; readonly reason: string; readonly details?: string }
  | { readonly kind: 'expired'; readonly was: OutcomeKind; readonly reason: string; readonly by?: Actor };

/** How a task can end. */
export type OutcomeKind = Outcome['kind'];

/** An outcome that a task can be settled with; expiry comes later, from the sweeper. */
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

/** Returns one sentence for `statusMessage`; `undefined` for a result. */
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
