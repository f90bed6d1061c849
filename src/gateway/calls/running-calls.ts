/**
 * The calls that are under way upstream for tasks of this process, and whose is what their upstreams say and ask.
 *
 * Over HTTP everything comes on the stream of its call. On stdio nothing but progress names its call, so of
 * several on a connection the newest is taken for the one, if all are of one principal; otherwise it is given to nobody.
 */
import type { HostQuestion, JsonObject, Notification } from '../../host/index.ts';
import { type ServerTaskContext, TaskError } from '../../index.ts';
import { TaskQuestions } from './ask-task.ts';
import { logTask } from './log-task.ts';

interface Running {
  /** The name of the connection it is on. */
  readonly connection: string;
  readonly task: ServerTaskContext;
  readonly questions: TaskQuestions;
}

export class RunningCalls {
  /** By the id of the call. */
  readonly #running = new Map<string, Running>();

  add(callId: string, { connection, task }: Pick<Running, 'connection' | 'task'>): void {
    this.#running.set(callId, { connection, task, questions: new TaskQuestions(task) });
  }

  delete(callId: string): void {
    this.#running.delete(callId);
  }

  /** Whether anything runs on a connection. */
  has(connection: string): boolean {
    return this.#on(connection).length > 0;
  }

  /** Puts a question to the task that it belongs to; nothing when it belongs to none. */
  ask({ server, callId, method, params, name }: HostQuestion): Promise<JsonObject> | undefined {
    const own = callId === undefined ? undefined : this.#running.get(callId);
    const asking = own ?? this.#guess(server);
    return asking?.questions.ask({ method, ...(params && { params }) }, name);
  }

  /** Keeps a line of log with the task that it belongs to, if that can be told. */
  async hear(connection: string, { method, params, callId }: Notification): Promise<void> {
    if (method !== 'notifications/message') return;
    const own = callId === undefined ? undefined : this.#running.get(callId);
    const running = this.#on(connection);
    // Of several calls of one principal the newest logs most likely.
    const told = own ?? (areOfOne(running) ? running.at(-1) : undefined);
    if (told) await logTask(told.task, params);
  }

  #on(connection: string): Running[] {
    return [...this.#running.values()].filter((one) => one.connection === connection);
  }

  /** Of several calls of one principal the newest asks most likely; nobody is asked what may be another's to answer. */
  #guess(connection: string): Running | undefined {
    const running = this.#on(connection);
    if (areOfOne(running)) return running.at(-1);
    throw new TaskError('QUESTION_DECLINED', `upstream ${connection} asks during calls of several principals at once`);
  }
}

function areOfOne(running: readonly Running[]): boolean {
  return new Set(running.map(({ task }) => task.principal)).size <= 1;
}
