import type { JsonObject } from '../../dialects/host-port.ts';
import type { InputRequest } from '../../dialects/shared/questions/mcp-input.ts';
import type { HostSettings } from '../host-options.ts';
import { findAskingCall } from '../servers/asking-call.ts';
import type { CallLifecycle } from './call-lifecycle.ts';
import { putQuestion } from './put-question.ts';

/**
 * Answers a request of the server's, for the call it belongs to.
 *
 * That is the call whose task it names, the one on whose stream it comes, or the only one there is. One that cannot be
 * told apart is put to the user for no call in particular, and its answer is not kept: the same words may be another
 * call's question, and an answer that nobody gave to it is worse than a user who is asked twice.
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
  return putQuestion(settings, { ...asked, server, signal: whenOver(list()) });
}

/** The call that a task belongs to. */
async function findOwner(taskId: string, list: () => readonly CallLifecycle[]): Promise<CallLifecycle | undefined> {
  for (;;) {
    const runners = list();
    const owner = runners.find((one) => one.work.ownsTask(taskId));
    const sending = runners.filter((one) => one.work.isSending);
    // The question may overtake the answer that names the task.
    if (owner || sending.length === 0) return owner;
    await Promise.race(sending.map((one) => one.work.whenSent()));
  }
}

/** Work that has a handle names it when it asks. */
function findUnnamed(runners: readonly CallLifecycle[]): CallLifecycle | undefined {
  const callId = findAskingCall();
  const asking = runners.find(({ record }) => record.callId === callId);
  if (asking) return asking;
  const sending = runners.filter((one) => one.work.isSending);
  const [only, ...others] = sending.length > 0 ? sending : runners;
  return others.length === 0 ? only : undefined;
}

/** Fires when none of the calls is waited for any longer that may have asked; never when none did. */
function whenOver(runners: readonly CallLifecycle[]): AbortSignal {
  const over = new AbortController();
  if (runners.length === 0) return over.signal;
  void Promise.allSettled(runners.map((one) => one.run())).then(() => over.abort());
  return over.signal;
}
