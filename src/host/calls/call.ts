import type { CallOutcome, CallUpdate } from '../../dialects/host-port.ts';
import type { CallRecord, Ledger } from '../ledger/contract.ts';
import type { CallLifecycle } from './call-lifecycle.ts';
import type { StoppedCall } from './stopped-call.ts';

/** A call that is pending, or has an outcome that is not acknowledged yet. */
export interface Call {
  readonly callId: string;
  readonly server: string;
  readonly tool: string;
  readonly sessionId: string | undefined;
  /** Streams the updates of the call until its end, starting when this process began to wait for it. */
  updates(): AsyncGenerator<CallUpdate, void, undefined>;
  /**
   * Resolves when the server has the call and has said how to wait for it, or when the call has ended. A caller that detaches
   * earlier may lose the call.
   */
  sent(): Promise<void>;
  /**
   * Returns how the call ended; the same value every time, before and after `ack`. Rejects with `DETACHED` when waiting was
   * stopped.
   */
  outcome(): Promise<CallOutcome>;
  /** Acknowledges the outcome: it is not delivered again after a restart. Returns `true` only the first time. */
  ack(): Promise<boolean>;
  /** Cancels the work and stops waiting; returns what is known of the work. */
  cancel(reason?: string): Promise<StoppedCall>;
  /** Stops waiting without cancelling: the call can be resumed. */
  detach(): void;
}

export interface CallParts {
  readonly record: CallRecord;
  readonly ledger: Ledger;
  readonly runner: CallLifecycle;
}

/** Returns the same call, acknowledged when its outcome is read. */
export function withAutoAck(call: Call): Call {
  return {
    ...call,
    async outcome() {
      const outcome = await call.outcome();
      await call.ack();
      return outcome;
    },
  };
}

export function toCall({ record, ledger, runner }: CallParts): Call {
  const { callId, server, tool, sessionId } = record;
  return {
    callId,
    server,
    tool,
    sessionId,
    updates: () => runner.feed.read(),
    sent: async () => {
      if (!record.outcome) await runner.work.whenSent();
    },
    outcome: async () => record.outcome ?? (await runner.run()),
    ack: () => ledger.ack(callId),
    cancel: (reason = 'cancelled by the caller') => runner.cancel(reason),
    detach: () => runner.detach(),
  };
}
