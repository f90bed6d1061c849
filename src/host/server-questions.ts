import type { JsonObject } from '../dialects/host-port.ts';
import type { InputRequest } from '../dialects/mcp-input.ts';
import { readRelatedTask } from '../dialects/tasks-2025/host.ts';
import type { CallRunner } from './call-runner.ts';
import type { HostSettings } from './host-options.ts';
import { putQuestion } from './put-question.ts';

/**
 * Answers a request of the server's, for the call it belongs to.
 *
 * That is the call whose task it names, or the only one there is; one that cannot be told apart is put to the user for
 * no call in particular.
 */
export async function answerServer(
  settings: HostSettings,
  request: InputRequest & { readonly server: string },
  runners: () => readonly CallRunner[],
): Promise<JsonObject> {
  const { server, ...asked } = request;
  const runner = await findRunner(asked.params ?? {}, () => runners().filter(({ record }) => record.server === server));
  if (runner) return runner.questions.askUnnamed(asked);
  return putQuestion(settings, { ...asked, server, signal: new AbortController().signal });
}

async function findRunner(params: JsonObject, list: () => readonly CallRunner[]): Promise<CallRunner | undefined> {
  const isNamed = readRelatedTask(params) !== undefined;
  for (;;) {
    const runners = list();
    const sending = runners.filter((one) => one.isSending);
    if (!isNamed) {
      const [only, ...others] = sending.length > 0 ? sending : runners;
      return others.length === 0 ? only : undefined;
    }
    const owner = runners.find((one) => one.owns(params));
    // The question may overtake the answer that names the task.
    if (owner || sending.length === 0) return owner;
    await Promise.race(sending.map((one) => one.whenSent()));
  }
}
