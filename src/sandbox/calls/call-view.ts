import type { CallOutcome, InputRequest, JsonObject } from '../../host/index.ts';

/** A question that waits for a person. */
export interface OpenQuestion {
  readonly key: string;
  readonly request: InputRequest;
  /** Why the previous answer was rejected. */
  readonly refusal?: string;
}

/** The last progress that the call reported. */
export interface CallProgress {
  readonly value: number;
  readonly total?: number;
  readonly message?: string;
  readonly remainingMs?: number;
}

/** A call as the page shows it. */
export interface CallView {
  readonly callId: string;
  readonly server: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly sessionId: string;
  readonly createdAt: number;
  /** `detached`: it goes on, but nothing waits for it here. */
  readonly state: 'pending' | 'detached' | 'ended';
  readonly endedAt?: number;
  /** The task that does its work, if there is one. */
  readonly taskId?: string;
  readonly dialect?: string;
  readonly progress?: CallProgress;
  readonly estimateMs?: number;
  /** The last status message, or the last problem of the connection to the server. */
  readonly note?: string;
  readonly output: readonly string[];
  readonly questions: readonly OpenQuestion[];
  readonly outcome?: CallOutcome;
  /** Whether the outcome is too large for a list, and has to be read separately. */
  readonly isLarge?: true;
}

const MAX_LISTED = 20_000;

/** Returns the call for a list, without its outcome if that is large. */
export function toListed(call: CallView): CallView {
  const { outcome, ...rest } = call;
  if (outcome === undefined || JSON.stringify(outcome).length <= MAX_LISTED) return call;
  const small =
    outcome.kind === 'result' ? { ...outcome, result: {} } : { ...outcome, error: { code: '', message: '' } };
  return { ...rest, outcome: small as CallOutcome, isLarge: true };
}
