import type { CallError, CallOutcome, JsonObject } from '../../host/index.ts';
import { type CallToolResult, TaskError } from '../../index.ts';

/** An error from an upstream, passed to the caller unchanged. */
export class UpstreamError extends Error {
  /** A JSON-RPC error code. */
  readonly code: number;
  readonly data: unknown;

  constructor({ code, message, data }: CallError & { readonly code: number }) {
    super(message);
    this.name = 'UpstreamError';
    this.code = code;
    this.data = data;
  }
}

/** Returns the result of a call, or throws the error that its task ends with. */
export function toCallResult(outcome: CallOutcome, upstream: string): CallToolResult {
  switch (outcome.kind) {
    case 'result':
      return toResult(outcome.result);
    case 'error':
      throw toError(outcome.error, upstream);
    case 'cancelled':
      throw new TaskError('CANCELLED', outcome.reason);
    case 'interrupted':
      throw new TaskError('INTERRUPTED', `upstream ${upstream}: ${outcome.reason}`);
    case 'expired':
      throw new TaskError('INTERRUPTED', `upstream ${upstream} has forgotten the work: ${outcome.reason}`);
    case 'timed-out':
      throw new TaskError('TIMED_OUT', `upstream ${upstream}: ${outcome.reason}`);
  }
}

/** Servers of the first protocol version may omit `content`. */
export function toResult({ content = [], ...result }: JsonObject): CallToolResult {
  return { ...result, content } as unknown as CallToolResult;
}

function toError({ code, message, data }: CallError, upstream: string): Error {
  if (typeof code === 'number') return new UpstreamError({ code, message, ...(data !== undefined && { data }) });
  const named = `upstream ${upstream}: ${message}`;
  if (code === 'CONNECT_FAILED') return new TaskError('CONNECT_FAILED', named);
  if (code === 'RESULT_TOO_LARGE') return new TaskError('RESULT_TOO_LARGE', named);
  return new TaskError('TOOL_FAILED', named);
}
