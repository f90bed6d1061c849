/** The same deeds with a task in the words of either era. */
import { until } from 'holdfast/testing';
import type { Message, RawClient } from './raw-client.ts';

/** Calls a tool as a task; the task's id. */
export async function begin(client: RawClient, name: string, args: object = {}): Promise<string> {
  const task = client.era === 'legacy' ? { task: {} } : {};
  return readTask(await client.request('tools/call', { name, arguments: args, ...task }));
}

/** The id of the task that a call was answered with. */
export function readTask({ result, error }: Message): string {
  const { taskId } = (result?.task ?? result ?? {}) as { taskId?: string };
  if (taskId === undefined) throw new Error(`no task: ${JSON.stringify(error ?? result)}`);
  return taskId;
}

/** Waits as clients of the era do: for the result, or on a stream that tells of the task. */
export function awaitEnd(client: RawClient, taskId: string): Promise<Message> {
  if (client.era === 'legacy') return client.request('tasks/result', { taskId });
  return client.request('subscriptions/listen', { notifications: { taskIds: [taskId] } });
}

export interface RawAnswer {
  readonly taskId: string;
  readonly key: string;
  readonly result: object;
}

/** Answers a question of a task: with `tasks/update`, or as the answer to the server's request, whose id is known. */
export async function answer(client: RawClient, { taskId, key, result }: RawAnswer): Promise<void> {
  if (client.era === 'legacy') await client.send({ jsonrpc: '2.0', id: `holdfast:${taskId}:${key}`, result });
  else await client.request('tasks/update', { taskId, inputResponses: { [key]: result } });
}

export async function getStatus(client: RawClient, taskId: string): Promise<unknown> {
  return (await client.request('tasks/get', { taskId })).result?.status;
}

/** What became of a task: the text of its result, or its error. */
export async function finish(client: RawClient, taskId: string): Promise<{ text: string } | { error: unknown }> {
  const { result, error } = client.era === 'legacy' ? await awaitEnd(client, taskId) : await poll(client, taskId);
  if (error) return { error };
  const { content } = result as { content: { text: string }[] };
  return { text: content[0]?.text ?? '' };
}

async function poll(client: RawClient, taskId: string): Promise<Message> {
  return until(
    async () => {
      const { result, error } = await client.request('tasks/get', { taskId });
      if (error) throw new Error(error.message);
      const { status, ...ending } = result as unknown as { status: string } & Message;
      return status === 'working' || status === 'input_required' ? undefined : ending;
    },
    { what: `task ${taskId} to end`, timeoutMs: 60_000 },
  );
}
