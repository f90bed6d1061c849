/**
 * Notifies one client of the changes of its tasks, for as long as its connection lasts.
 *
 * All notifications are optional: what a client misses it can read with `tasks/get` and `tasks/result`. Closing stops
 * the notifications, never the work.
 */
import { setMaxListeners } from 'node:events';
import type { TaskClient } from '../../engine/task-client.ts';
import type { TaskEvent } from '../../task/event.ts';
import type { Json } from '../../task/json.ts';
import { isOpen } from '../../task/question.ts';
import type { Task } from '../../task/record.ts';
import { isTerminal } from '../../task/status.ts';
import { askQuestions, type Connection, keepAsking } from '../shared/questions/question-request.ts';
import { type Task2025, toStatus2025, toStatusNotification, withRelatedTask } from './wire.ts';

export interface TaskFollowerOptions {
  readonly engine: TaskClient;
  readonly connection: Connection;
  /** Called with the reason why a task can no longer be followed. */
  report(error: unknown): void;
}

export class TaskFollower {
  readonly #options: TaskFollowerOptions;
  readonly #followed = new Set<string>();
  readonly #closing = new AbortController();

  constructor(options: TaskFollowerOptions) {
    this.#options = options;
    // Every followed task adds a listener, and there may be many.
    setMaxListeners(0, this.#closing.signal);
  }

  /** Follows a task that the client has just been sent, as `working`. */
  follow(task: Task): void {
    this.#begin(task, 'working');
  }

  /** Resumes a task that the client knows from an earlier stream or connection, and asks its open questions again. */
  resume(task: Task): void {
    if (isTerminal(task.status)) return;
    if (this.#followed.has(task.taskId)) askQuestions(this.#options.connection, task).catch(this.#report);
    else this.#begin(task, toStatus2025(task));
  }

  close(): void {
    this.#closing.abort();
  }

  #begin(task: Task, known: Task2025['status']): void {
    const { taskId } = task;
    if (this.#closing.signal.aborted || this.#followed.has(taskId)) return;
    this.#followed.add(taskId);
    const { engine, connection } = this.#options;
    const stopAsking = keepAsking(connection, taskId, () => engine.get(taskId, { principal: task.principal }));
    this.#sendChanges(task, known)
      .catch(this.#report)
      .finally(() => {
        stopAsking();
        this.#followed.delete(taskId);
      });
  }

  // Errors after the close are those of the connection, and are not reported.
  readonly #report = (error: unknown): void => {
    if (!this.#closing.signal.aborted) this.#options.report(error);
  };

  async #sendChanges(task: Task, known: Task2025['status']): Promise<void> {
    const { signal } = this.#closing;
    const { engine, connection } = this.#options;
    // The answer that names the task goes first: a client cannot match notifications of a task it does not know yet.
    await new Promise((resolve) => setImmediate(resolve));
    const notifier = new StatusNotifier(connection, task, known);
    await notifier.sendStatus(task, engine.now());
    await askQuestions(connection, task);
    const { taskId, principal, lastSeq } = task;
    for await (const event of engine.watch(taskId, { principal, afterSeq: lastSeq, signal })) {
      if (event.type === 'gap') continue;
      await notifier.sendEvent(event);
      if (event.type === 'asked') await askQuestions(connection, await engine.get(taskId, { principal }));
    }
    if (!signal.aborted) await notifier.sendStatus(await engine.get(taskId, { principal }), engine.now());
  }
}

/** What the client knows of one task: it gets every change of status once, and progress that only rises. */
class StatusNotifier {
  readonly #connection: Connection;
  readonly #token: string | number | undefined;
  readonly #open: Set<string>;
  #task: Task;
  #status: Task2025['status'];
  #progress: number;

  constructor(connection: Connection, task: Task, known: Task2025['status']) {
    this.#connection = connection;
    this.#token = parseToken(task.labels?.progressToken);
    this.#open = new Set(task.questions.filter(isOpen).map(({ key }) => key));
    this.#task = task;
    this.#status = known;
    this.#progress = task.progress?.value ?? -1;
  }

  /** Sends a change, except the end: only the task's record has the outcome. */
  async sendEvent(event: TaskEvent): Promise<void> {
    if (event.type === 'progress') return this.#sendProgress(event);
    if (event.type === 'asked') this.#open.add(event.key);
    else if (event.type === 'answered') this.#open.delete(event.key);
    else return;
    const status = this.#open.size > 0 ? 'input_required' : 'working';
    await this.sendStatus({ ...this.#task, status, updatedAt: event.at }, event.at);
  }

  async sendStatus(task: Task, now: number): Promise<void> {
    const { method, params } = toStatusNotification(task, now);
    if (params.status === this.#status) return;
    this.#status = params.status;
    await this.#connection.notify(method, params);
  }

  async #sendProgress({ value, message }: { readonly value: number; readonly message?: string }): Promise<void> {
    if (message !== undefined) this.#task = { ...this.#task, statusMessage: message };
    if (this.#token === undefined || value <= this.#progress) return;
    this.#progress = value;
    const params: { [key: string]: Json } = { progressToken: this.#token, progress: value };
    if (value <= 1) params.total = 1;
    if (message !== undefined) params.message = message;
    await this.#connection.notify('notifications/progress', withRelatedTask(params, this.#task.taskId));
  }
}

function parseToken(label: string | undefined): string | number | undefined {
  if (label === undefined) return undefined;
  try {
    const token: unknown = JSON.parse(label);
    return typeof token === 'string' || typeof token === 'number' ? token : undefined;
  } catch {
    return undefined;
  }
}
