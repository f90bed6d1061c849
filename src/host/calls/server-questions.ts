import type { JsonObject } from '../../dialects/host-port.ts';
import type { InputRequest } from '../../dialects/shared/questions/mcp-input.ts';
import type { HostSettings } from '../host-options.ts';
import { getContextCallId } from '../servers/call-context.ts';
import type { CallLifecycle } from './call-lifecycle.ts';
import { dispatchQuestion } from './dispatch-question.ts';

/**
 * Answers a request of the server, for the call it belongs to.
 *
 * That is the call whose task the request names, the call on whose stream it arrives, or the only one there is. When the call
 * cannot be determined, the user is asked without one, and the answer is not stored: another call may ask the same question, and
 * asking the user twice is better than answering it for them.
 */
export async function answerServer(
  settings: HostSettings,
  request: InputRequest & { readonly server: string },
  runners: () => readonly CallLifecycle[],
): Promise<JsonObject> {
  const { server, ...asked } = request;
  const list = () => runners().filter(({ record }) => record.server === server);
  const taskId = settings.dialects.readRelatedTask(asked.params ?? {});
  const runner = taskId === undefined ? findUnnamed(list()) : await findOwner(taskId, list);
  if (runner) return runner.questions.askUnnamed(asked);
  return dispatchQuestion(settings, { ...asked, server, signal: whenOver(list()) });
}

/** Returns the call that a task belongs to. */
async function findOwner(taskId: string, list: () => readonly CallLifecycle[]): Promise<CallLifecycle | undefined> {
  for (;;) {
    const runners = list();
    const owner = runners.find((one) => one.work.ownsTask(taskId));
    const sending = runners.filter((one) => one.work.isSending);
    // The question may arrive before the response that names the task.
    if (owner || sending.length === 0) return owner;
    await Promise.race(sending.map((one) => one.work.whenSent()));
  }
}

/** Finds the call of a question that names no task. Calls that are still being sent come first: work with a handle names it. */
function findUnnamed(runners: readonly CallLifecycle[]): CallLifecycle | undefined {
  const callId = getContextCallId();
  const asking = runners.find(({ record }) => record.callId === callId);
  if (asking) return asking;
  const sending = runners.filter((one) => one.work.isSending);
  const [only, ...others] = sending.length > 0 ? sending : runners;
  return others.length === 0 ? only : undefined;
}

/**
 * Returns a signal that fires when none of the calls that may have asked is waited for any more; never when there was no call.
 */
function whenOver(runners: readonly CallLifecycle[]): AbortSignal {
  const over = new AbortController();
  if (runners.length === 0) return over.signal;
  void Promise.allSettled(runners.map((one) => one.run())).then(() => over.abort());
  return over.signal;
}
