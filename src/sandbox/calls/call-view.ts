import type { CallOutcome, InputRequest, JsonObject } from '../../host/index.ts';

/** A question that waits for a person. */
export interface OpenQuestion {
  readonly key: string;
  readonly request: InputRequest;
  /** Why the answer before was not taken. */
  readonly refusal?: string;
}

/** How far a call is, as it said last. */
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
  /** `detached`: it goes on, and nobody waits for it here. */
  readonly state: 'pending' | 'detached' | 'ended';
  readonly endedAt?: number;
  /** The task that does its work, where there is one. */
  readonly taskId?: string;
  readonly dialect?: string;
  readonly progress?: CallProgress;
  readonly estimateMs?: number;
  /** What was heard of the way to the server last. */
  readonly note?: string;
  readonly output: readonly string[];
  readonly questions: readonly OpenQuestion[];
  readonly outcome?: CallOutcome;
  /** The outcome is too large for a list, and is read apart. */
  readonly isLarge?: true;
}

const MAX_LISTED = 20_000;

/** The call for a list: with its outcome only where that is small. */
export function toListed(call: CallView): CallView {
  const { outcome, ...rest } = call;
  if (outcome === undefined || JSON.stringify(outcome).length <= MAX_LISTED) return call;
  const small =
    outcome.kind === 'result' ? { ...outcome, result: {} } : { ...outcome, error: { code: '', message: '' } };
  return { ...rest, outcome: small as CallOutcome, isLarge: true };
}
