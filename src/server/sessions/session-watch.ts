/**
 * Tells sessions of their tasks that were begun through another server.
 *
 * A client's standing stream is open at one server of several, and its calls go to any of them. Each task that begins or
 * asks costs one look at its record, however many sessions are open here, and nothing while none is.
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

// The answer that names a task goes out at another server, and must be there before anything is told of the task here.
const ANSWER_MS = 100;

export class SessionWatch {
  readonly #options: SessionWatchOptions;
  readonly #sessions = new Map<string, Set<(task: Task) => void>>();
  #stop: (() => void) | undefined;

  constructor(options: SessionWatchOptions) {
    this.#options = options;
  }

  /** Calls back with tasks of the session, those that are known already too; until called off. */
  async watch(sessionId: string, listener: (task: Task) => void): Promise<() => void> {
    const engine = await this.#options.openEngine();
    this.#sessions.set(sessionId, (this.#sessions.get(sessionId) ?? new Set()).add(listener));
    this.#stop ??= engine.onActivity((taskId) => {
      this.#tell(engine, taskId).catch((error: unknown) => {
        // It may have expired since.
        if (!isTaskError(error, 'TASK_NOT_FOUND')) this.#options.report(error);
      });
    });
    return () => this.#leave(sessionId, listener);
  }

  #leave(sessionId: string, listener: (task: Task) => void): void {
    const listeners = this.#sessions.get(sessionId);
    listeners?.delete(listener);
    if (listeners?.size === 0) this.#sessions.delete(sessionId);
    if (this.#sessions.size > 0) return;
    this.#stop?.();
    this.#stop = undefined;
  }

  async #tell(engine: Engine, taskId: string): Promise<void> {
    const task = await engine.get(taskId, { principal: OPERATOR });
    if (task.labels?.session === undefined || this.#sessions.size === 0) return;
    const untilAnswered = task.createdAt + ANSWER_MS - engine.now();
    if (untilAnswered > 0) await pause(Math.min(untilAnswered, ANSWER_MS), undefined, { ref: false });
    const listeners = this.#sessions.get(task.labels.session);
    for (const listener of [...(listeners ?? [])]) listener(task);
  }
}
