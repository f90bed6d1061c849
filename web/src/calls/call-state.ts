import type { TaskSummary } from '../../../src/dashboard/task-summary.ts';
import type { CallView } from '../../../src/sandbox/calls/call-view.ts';
import { toRemainingMs } from '../../../src/task/estimate.ts';
import type { Tone } from '../shell/bits.tsx';
import type { TextKey } from '../texts/en.ts';

/** What a card shows of a call, from the call and its task. */
export interface CallState {
  readonly tone: Tone;
  readonly label: TextKey;
  readonly share: number | undefined;
  readonly message: string;
  readonly elapsedMs: number;
  readonly remainingMs: number | undefined;
  readonly estimateMs: number | undefined;
  readonly attempt: number;
}

export function toCallState(call: CallView, task: TaskSummary | undefined, now: number): CallState {
  const progress = task?.progress ?? call.progress;
  const share = progress && progress.value > 0 && progress.value <= 1 ? progress.value : undefined;
  const isPending = call.state === 'pending';
  return {
    ...toTone(call, task),
    share,
    message: toText(call, task),
    elapsedMs: (call.endedAt ?? now) - call.createdAt,
    remainingMs: isPending ? ((task && toRemainingMs(task, now)) ?? call.progress?.remainingMs) : undefined,
    estimateMs: task?.estimateMs ?? call.estimateMs,
    attempt: task?.attempt ?? 0,
  };
}

function toText({ note, progress }: CallView, task: TaskSummary | undefined): string {
  return note || task?.progress?.message || task?.statusMessage || progress?.message || '';
}

function toTone(call: CallView, task: TaskSummary | undefined): Pick<CallState, 'tone' | 'label'> {
  if (call.state === 'detached') return { tone: 'quiet', label: 'detached' };
  if (call.state === 'ended') return toEnd(call.outcome);
  const isAsked = call.questions.length > 0 || task?.status === 'input_required';
  return isAsked ? { tone: 'asking', label: 'input_required' } : { tone: 'pending', label: 'pending' };
}

function toEnd(outcome: CallView['outcome']): Pick<CallState, 'tone' | 'label'> {
  switch (outcome?.kind) {
    case 'result':
      return outcome.isError ? { tone: 'bad', label: 'failed' } : { tone: 'good', label: 'done' };
    case 'cancelled':
      return { tone: 'quiet', label: 'cancelled' };
    case 'interrupted':
      return { tone: 'bad', label: 'interrupted' };
    case 'expired':
      return { tone: 'quiet', label: 'expired' };
    case 'timed-out':
      return { tone: 'bad', label: 'timedOut' };
    default:
      return { tone: 'bad', label: 'error' };
  }
}
