import type { Json } from '../../task/json.ts';
import { isOpen } from '../../task/question.ts';
import type { Task } from '../../task/record.ts';
import { canAnswer, type InputCapabilities, toInputRequest } from '../mcp-input.ts';
import { withRelatedTask } from './wire.ts';

export type Params = { readonly [key: string]: Json };

/** A way to one client: its stdio connection, a stream of its HTTP session, or the open line of one request. */
export interface Connection {
  readonly capabilities: InputCapabilities;
  notify(method: string, params: Params): Promise<void>;
  /** Sends a request of ours; its answer comes back by its id, to any process. */
  request(id: string, method: string, params: Params): Promise<void>;
  /**
   * Ids of the questions this client has before it. Streams of one session share it, or the client is asked the same on
   * each; it starts anew when the stream that carried them is lost.
   */
  readonly asked?: Set<string>;
}

/** The id of a request that asks a question: whoever receives the answer knows where it belongs. */
export function toQuestionId(taskId: string, key: string): string {
  return `holdfast:${taskId}:${key}`;
}

/** Asks what is open, can be answered by this client and is not before it yet. */
export async function askQuestions(connection: Connection, task: Task, asked: Set<string>): Promise<void> {
  const { taskId, questions } = task;
  for (const question of questions) {
    const id = toQuestionId(taskId, question.key);
    if (!isOpen(question) || asked.has(id) || !canAnswer(question, connection.capabilities)) continue;
    const { method, params } = toInputRequest(taskId, question);
    // Before sending: a second stream must not ask while this one is at it.
    asked.add(id);
    try {
      await connection.request(id, method, withRelatedTask(params ?? {}, taskId));
    } catch (error) {
      asked.delete(id);
      throw error;
    }
  }
}
