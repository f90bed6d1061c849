import type { CallOutcome, JsonObject } from '../host-port.ts';

/** What is known of a run when its end is no longer waited for. */
export interface EndedRun {
  readonly status: string | undefined;
  readonly finishedAt: string | undefined;
  readonly runId: string | undefined;
  /** The final text, or the part of it that arrived. */
  readonly finalText: string | undefined;
  /** Whether parts of the final text are missing. */
  readonly isCut: boolean;
  /** The last text, for runs that end without a final text. */
  readonly lastText: string | undefined;
}

/** The `_meta` key of a result that says how its run ended. */
const STREAM_META = 'holdfast/stream';

/** Returns the single outcome of a call whose run was streamed. */
export function toRunOutcome(end: EndedRun): CallOutcome {
  const { status = 'completed', finishedAt, runId, isCut } = end;
  const text = end.finalText ?? end.lastText;
  const about: JsonObject = {
    status,
    ...(finishedAt !== undefined && { finishedAt }),
    ...(runId !== undefined && { runId }),
    ...(end.finalText === undefined && { finalText: 'none' }),
    ...(isCut && { finalText: 'cut' }),
  };
  switch (toKind(status)) {
    case 'cancelled':
      return { kind: 'cancelled', reason: text ?? `the run was ${status}` };
    case 'failed':
      return {
        kind: 'error',
        error: { code: 'RUN_FAILED', message: text ?? `the run ended as ${status}`, data: about },
      };
    case 'done': {
      const said = text ?? `The run ended as ${status}, without a text.`;
      const result = { content: [{ type: 'text', text: said }], _meta: { [STREAM_META]: about } };
      return { kind: 'result', result, isError: false };
    }
  }
}

function toKind(status: string): 'done' | 'failed' | 'cancelled' {
  const word = status.toLowerCase();
  if (['aborted', 'cancelled', 'canceled'].includes(word)) return 'cancelled';
  return ['failed', 'error', 'timeout', 'timed_out', 'expired', 'interrupted'].includes(word) ? 'failed' : 'done';
}
