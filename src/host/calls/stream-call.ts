/**
 * Calls that are answered by a stream of notifications.
 *
 * On a server built on Holdfast the run is a task: its outcome is the task's, whole and asked for after any loss, and the
 * stream is what is shown meanwhile. On any other the stream is all there is.
 */
import type { CallOutcome, CallUpdate, HostPort } from '../../dialects/host-port.ts';
import { followStream, type StreamHandle, showStream } from '../../dialects/stream/host.ts';
import type { StreamJoiner } from '../../dialects/stream/stream-joiner.ts';
import { cancelUiPrompts } from '../../dialects/ui-prompts/host.ts';
import { followOwnTask, hasTasks } from './own-task.ts';

// What happened before the outcome was known may still be on its way; this long a silence says that it is not.
const LAST_EVENTS_MS = 2000;

/** Waits for the outcome; `joiner` has heard what came before. */
export async function followStreamCall(
  handle: StreamHandle,
  port: HostPort,
  joiner: StreamJoiner | undefined,
): Promise<CallOutcome> {
  const { taskId } = handle;
  if (taskId === undefined || !hasTasks(port.server)) return followStream(handle, port, joiner);
  const shown = showStream(handle, port, joiner);
  let isCut = false;
  const stop = port.onConnected(() => {
    isCut = true;
  });
  // The stream tells the same, and sooner, for as long as there is one.
  const update = (told: CallUpdate) => {
    if (isCut || told.type === 'question' || told.type === 'answered') port.update(told);
  };
  try {
    const outcome = await followOwnTask(taskId, { ...port, update });
    await shown.whenOver(LAST_EVENTS_MS);
    return outcome;
  } finally {
    stop();
    shown.stop();
  }
}

/** Stops the run: as a task where it is one, else by the server's tool for that; false when it was not taken. */
export async function cancelStreamCall(handle: StreamHandle, port: HostPort): Promise<boolean> {
  const { taskId, tool, requestId, runId, windowId, rpcId } = handle;
  if (taskId !== undefined && hasTasks(port.server)) {
    const reply = await port.request('tasks/cancel', { taskId });
    return reply.kind === 'result';
  }
  const meta = { ...handle.meta, ...(runId !== undefined && { runId }), ...(windowId !== undefined && { windowId }) };
  return cancelUiPrompts({ tool, taskId: requestId ?? rpcId, meta }, port);
}
