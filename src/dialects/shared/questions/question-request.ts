import type { Json } from '../../../task/json.ts';
import { isOpen } from '../../../task/question.ts';
import type { Task } from '../../../task/record.ts';
import type { AskedQuestions } from './asked-questions.ts';
import { canAnswer, type InputCapabilities, type InputRequest, toInputRequest } from './mcp-input.ts';
import { isTask2025, withRelatedTask } from './related-task.ts';

/** The parameters of a request. */
export type Params = { readonly [key: string]: Json };

/** Asks one client questions: on its stdio connection, or on a stream of its HTTP session. */
export interface QuestionChannel {
  readonly capabilities: InputCapabilities;
  /** Shared by all connections to the client. */
  readonly asked: AskedQuestions;
  /** Whether a request would be sent now. */
  canSend(): boolean;
  /** Sends a server request; the response is matched by its id, in any process. */
  request(id: string, method: string, params: Params | undefined): Promise<void>;
}

/** A connection that carries notifications as well. */
export interface Connection extends QuestionChannel {
  notify(method: string, params: Params): Promise<void>;
}

/** Asks the open questions that this client can answer and has not been asked yet. */
export async function askQuestions(line: QuestionChannel, task: Task): Promise<void> {
  for (const question of task.questions) {
    if (!isOpen(question) || !canAnswer(question, line.capabilities) || !line.canSend()) continue;
    const asking = line.asked.take(task.taskId, question.key);
    if (!asking) continue;
    const { id, complaint } = asking;
    const { method, params } = withComplaint(toInputRequest(task.taskId, question), complaint);
    try {
      // The question of a held call names no task, as its client knows of none.
      await line.request(id, method, isTask2025(task) ? withRelatedTask(params ?? {}, task.taskId) : params);
      line.asked.sent(id);
    } catch (error) {
      line.asked.release(id);
      throw error;
    }
  }
}

/** Asks again when a question of the task is free again, until the returned function is called. */
export function keepAsking(line: QuestionChannel, taskId: string, read: () => Promise<Task>): () => void {
  return line.asked.onFree((freed) => {
    if (freed !== taskId) return;
    // A question that cannot be asked here stays free, for the next stream. That this stream is gone is detected
    // elsewhere.
    read()
      .then((task) => askQuestions(line, task))
      .catch(() => {});
  });
}

function withComplaint({ method, params }: InputRequest, complaint: string | undefined): InputRequest {
  if (complaint === undefined || typeof params?.message !== 'string') return { method, ...(params && { params }) };
  return { method, params: { ...params, message: `${params.message}\n\nPlease answer again: ${complaint}.` } };
}
