/**
 * Calls that are answered as two-stage jobs.
 *
 * On a server built on Holdfast a job is a task, and is followed as one: it can be asked for after any loss, its
 * questions come along, and it is told where notifications of jobs do not arrive.
 */
import type { CallOutcome, HostPort } from '../../dialects/host-port.ts';
import { followJob, type JobHandle, showJob } from '../../dialects/job/host.ts';
import { followOwnTask, hasTasks } from './own-task.ts';

/** Waits for the result of a job. */
export async function followJobCall(handle: JobHandle, port: HostPort): Promise<CallOutcome> {
  const { canWait, jobId: taskId } = handle;
  if (!canWait || !hasTasks(port.server)) return followJob(handle, port);
  const stop = showJob(handle, port);
  try {
    return await followOwnTask(taskId, port);
  } finally {
    stop();
  }
}
