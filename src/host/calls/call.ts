import type { CallOutcome, CallUpdate } from '../../dialects/host-port.ts';
import type { CallRecord, Ledger } from '../ledger/contract.ts';
import type { CallLifecycle } from './call-lifecycle.ts';
import type { StoppedCall } from './stopped-call.ts';

/** A call that is pending, or has an outcome that nobody has acknowledged yet. */
export interface Call {
  readonly callId: string;
  readonly server: string;
  readonly tool: string;
  readonly sessionId: string | undefined;
  /** What is heard of it until its end, from the beginning of this process's waiting. */
  updates(): AsyncGenerator<CallUpdate, void, undefined>;
  /** Resolves when the server has it and has said how to wait for it, or when it has ended: who detaches before that may lose it. */
  sent(): Promise<void>;
  /** How it ended; the same every time, until and after `ack`. Rejects with `DETACHED` when nobody waits any longer. */
  outcome(): Promise<CallOutcome>;
  /** The outcome has been taken: it is not given again after a restart. True once. */
  ack(): Promise<boolean>;
  /** Stops the work, and the waiting; says what is known of the work. */
  cancel(reason?: string): Promise<StoppedCall>;
  /** Stops the waiting only: the call can be resumed. */
  detach(): void;
}

export interface CallParts {
  readonly record: CallRecord;
  readonly ledger: Ledger;
  readonly runner: CallLifecycle;
}

/** The same call, acknowledged by whoever reads its outcome. */
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
