/** Turns updates of an upstream call into updates of its task. */
import type { Call, CallUpdate } from '../../host/index.ts';
import type { ServerTaskContext } from '../../index.ts';
import { ElapsedProgress } from './elapsed-progress.ts';

/** Passes on all updates of a call until the call ends. */
export async function followCall(call: Call, task: ServerTaskContext): Promise<void> {
  const elapsed = new ElapsedProgress(task);
  let value = 0;
  try {
    for await (const update of call.updates()) {
      if (update.type === 'progress') {
        elapsed.stop();
        value = Math.max(value, toShare(update));
      }
      await forwardUpdate(update, value, task);
    }
  } finally {
    elapsed.stop();
  }
}

async function forwardUpdate(update: CallUpdate, value: number, task: ServerTaskContext): Promise<void> {
  switch (update.type) {
    case 'progress':
      return task.progress(value, update.message);
    case 'status':
      return update.message === undefined ? undefined : task.progress(value, update.message);
    case 'text':
      return task.stream(update.text);
    case 'unreachable':
      return task.log('warning', `upstream ${update.server} is away: ${update.reason}`);
    case 'answered':
    case 'estimate':
    case 'gap':
    case 'missed':
    case 'question':
    case 'unconnected':
      return undefined;
  }
}

/** Progress as a share 0..1 where the total is known, else as reported. */
function toShare({ value, total }: CallUpdate & { readonly type: 'progress' }): number {
  return total !== undefined && total > 0 ? Math.min(1, value / total) : value;
}
