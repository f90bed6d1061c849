/** Sends what happens in a task to its caller until the request has its answer, as for a plain call. */
import type { EventGap, TaskEvent } from '../../task/event.ts';
import type { RequestChannel } from '../server-port.ts';
import { toLogData } from '../shared/log-data.ts';

/** Sends progress to callers that gave a token for it, and log messages to callers that asked for their level. */
export function createEventForwarder({
  progressToken,
  notify,
  log,
}: Pick<RequestChannel, 'progressToken' | 'notify' | 'log'>): (event: TaskEvent | EventGap) => Promise<void> {
  // Every progress value must be higher than the one before.
  let last = -1;
  return async (event) => {
    if (event.type === 'log') return log(event.level, toLogData(event));
    if (event.type !== 'progress' || progressToken === undefined || event.value <= last) return;
    const { value, message } = event;
    last = value;
    const total = value <= 1 ? { total: 1 } : {};
    await notify('notifications/progress', {
      progressToken,
      progress: value,
      ...total,
      ...(message !== undefined && { message }),
    });
  };
}
