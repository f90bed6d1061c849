/**
 * The upstream calls under way for tasks of this process; assigns questions and log lines of upstreams to them.
 *
 * Over HTTP everything arrives on the stream of its call. On stdio only progress names its call, so the newest call on the
 * connection is assumed, if all its calls belong to one principal; otherwise questions are declined and log lines dropped.
 */
import type { HostQuestion, JsonObject, Notification } from '../../host/index.ts';
import { type ServerTaskContext, TaskError } from '../../index.ts';
import { TaskQuestions } from './ask-task.ts';
import { logTask } from './log-task.ts';

interface Running {
  /** Name of the connection that the call uses. */
  readonly connection: string;
  readonly task: ServerTaskContext;
  readonly questions: TaskQuestions;
}

export class RunningCalls {
  /** By call id. */
  readonly #running = new Map<string, Running>();

  add(callId: string, { connection, task }: Pick<Running, 'connection' | 'task'>): void {
    this.#running.set(callId, { connection, task, questions: new TaskQuestions(task) });
  }

  delete(callId: string): void {
    this.#running.delete(callId);
  }

  /** Whether any call is running on a connection. */
  has(connection: string): boolean {
    return this.#on(connection).length > 0;
  }

  /** Asks a question through the task of the call that it belongs to; returns undefined when there is none. */
  ask({ server, callId, method, params, name }: HostQuestion): Promise<JsonObject> | undefined {
    const own = callId === undefined ? undefined : this.#running.get(callId);
    const asking = own ?? this.#findNewest(server);
    return asking?.questions.ask({ method, ...(params && { params }) }, name);
  }

  /** Adds a log line to the task that it belongs to, if that can be determined. */
  async logNotification(connection: string, { method, params, callId }: Notification): Promise<void> {
    if (method !== 'notifications/message') return;
    const own = callId === undefined ? undefined : this.#running.get(callId);
    const running = this.#on(connection);
    // Of several calls of one principal, the newest is most likely the source of the line.
    const source = own ?? (haveOnePrincipal(running) ? running.at(-1) : undefined);
    if (source) await logTask(source.task, params);
  }

  #on(connection: string): Running[] {
    return [...this.#running.values()].filter((one) => one.connection === connection);
  }

  /**
   * Picks the newest call of one principal as the most likely asker. Throws when the calls belong to several principals, so that
   * a question never reaches the wrong one.
   */
  #findNewest(connection: string): Running | undefined {
    const running = this.#on(connection);
    if (haveOnePrincipal(running)) return running.at(-1);
    throw new TaskError('QUESTION_DECLINED', `upstream ${connection} asks during calls of several principals at once`);
  }
}

function haveOnePrincipal(running: readonly Running[]): boolean {
  return new Set(running.map(({ task }) => task.principal)).size <= 1;
}
