/**
 * Notifies sessions of their tasks that began through another server.
 *
 * A client's standing stream is open at one of several servers, and its calls go to any of them. Each task that begins
 * or asks costs one read of its record, however many sessions are open here, and nothing while there are none.
 */

import { setTimeout as pause } from 'node:timers/promises';
import type { Engine } from '../../engine/engine.ts';
import { OPERATOR } from '../../engine/task-client.ts';
import { isTaskError } from '../../errors.ts';
import type { Task } from '../../task/record.ts';

export interface SessionWatchOptions {
  readonly openEngine: () => Promise<Engine>;
  report(error: unknown): void;
}

// Another server sends the answer that names a task, and it must arrive before any notification of the task from here.
const ANSWER_MS = 100;

export class SessionWatch {
  readonly #options: SessionWatchOptions;
  readonly #sessions = new Map<string, Set<(task: Task) => void>>();
  #stop: (() => void) | undefined;

  constructor(options: SessionWatchOptions) {
    this.#options = options;
  }

  /** Calls back with tasks of the session, including known ones; resolves with an unsubscribe function. */
  async watch(sessionId: string, listener: (task: Task) => void): Promise<() => void> {
    const engine = await this.#options.openEngine();
    this.#sessions.set(sessionId, (this.#sessions.get(sessionId) ?? new Set()).add(listener));
    this.#stop ??= engine.onActivity((taskId) => {
      this.#notify(engine, taskId).catch((error: unknown) => {
        // The task may have expired.
        if (!isTaskError(error, 'TASK_NOT_FOUND')) this.#options.report(error);
      });
    });
    return () => this.#unsubscribe(sessionId, listener);
  }

  #unsubscribe(sessionId: string, listener: (task: Task) => void): void {
    const listeners = this.#sessions.get(sessionId);
    listeners?.delete(listener);
    if (listeners?.size === 0) this.#sessions.delete(sessionId);
    if (this.#sessions.size > 0) return;
    this.#stop?.();
    this.#stop = undefined;
  }

  async #notify(engine: Engine, taskId: string): Promise<void> {
    const task = await engine.get(taskId, { principal: OPERATOR });
    if (task.labels?.session === undefined || this.#sessions.size === 0) return;
    const untilAnswered = task.createdAt + ANSWER_MS - engine.now();
    if (untilAnswered > 0) await pause(Math.min(untilAnswered, ANSWER_MS), undefined, { ref: false });
    const listeners = this.#sessions.get(task.labels.session);
    for (const listener of [...(listeners ?? [])]) listener(task);
  }
}
