import type { TaskSummary } from '../../../src/dashboard/task-summary.ts';
import type { Status } from '../../../src/task/status.ts';
import type { Tone } from '../shell/bits.tsx';
import type { TextKey } from '../texts/en.ts';

const TONES: Readonly<Record<Status, Tone>> = {
  queued: 'queued',
  working: 'pending',
  input_required: 'asking',
  completed: 'good',
  failed: 'bad',
  cancelled: 'quiet',
};

/** A tool that returned an error has completed, but its caller sees a failure. */
export function toStatusTone({ status, isError }: Pick<TaskSummary, 'status' | 'isError'>): Tone {
  return status === 'completed' && isError ? 'bad' : TONES[status];
}

/** The status as a text key; a tool's error is shown as a failure. */
export function toStatusText({ status, isError }: Pick<TaskSummary, 'status' | 'isError'>): TextKey {
  return status === 'completed' && isError ? 'toolFailed' : status;
}
