/**
 * Turns changes of tasks into events of the hub, coalescing several changes of one task.
 *
 * Subscribes to the store only while a page is open, and a little longer, because a subscription makes the process poll for
 * changes.
 */
import { type Change, isTaskError, OPERATOR, type TaskClient } from '../../index.ts';
import { toSummary } from '../task-summary.ts';
import type { EventHub } from './event-hub.ts';

const GATHER_MS = 80;
const LINGER_MS = 60_000;
// When more tasks change at once, pages are told to read their lists again instead.
const MAX_TASK_EVENTS = 200;

export interface TaskFeedOptions {
  readonly client: TaskClient;
  readonly hub: EventHub;
  report(error: unknown): void;
}

export class TaskFeed {
  readonly #options: TaskFeedOptions;
  readonly #changed = new Set<string>();
  #pages = 0;
  #stop: (() => void) | undefined;
  #gathering: NodeJS.Timeout | undefined;
  #lingering: NodeJS.Timeout | undefined;

  constructor(options: TaskFeedOptions) {
    this.#options = options;
  }

  /** Registers an open page until the returned function is called. */
  open(): () => void {
    this.#pages += 1;
    clearTimeout(this.#lingering);
    this.#stop ??= this.#options.client.onChange((changes) => this.#gather(changes));
    let isOpen = true;
    return () => {
      if (isOpen) this.#pages -= 1;
      isOpen = false;
      if (this.#pages > 0) return;
      this.#lingering = setTimeout(() => this.close(), LINGER_MS);
      this.#lingering.unref();
    };
  }

  close(): void {
    clearTimeout(this.#lingering);
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    this.#changed.clear();
    if (!this.#stop) return;
    this.#stop();
    this.#stop = undefined;
    this.#options.hub.forget();
  }

  #gather(changes: readonly Change[]): void {
    for (const { taskId } of changes) this.#changed.add(taskId);
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      this.#publishChanged().catch(this.#options.report);
    }, GATHER_MS);
  }

  async #publishChanged(): Promise<void> {
    const { client, hub } = this.#options;
    const taskIds = [...this.#changed];
    this.#changed.clear();
    if (taskIds.length > MAX_TASK_EVENTS) return hub.publish({ type: 'many', data: { count: taskIds.length } });
    for (const taskId of taskIds) {
      const task = await client.get(taskId, { principal: OPERATOR }).catch(ignoreGone);
      if (task) hub.publish({ type: 'task', principal: task.principal, data: toSummary(task) });
    }
  }
}

function ignoreGone(error: unknown): undefined {
  if (!isTaskError(error, 'TASK_NOT_FOUND')) throw error;
}
