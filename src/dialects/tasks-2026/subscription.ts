/**
 * `subscriptions/listen` with `taskIds`: notifies one subscriber of the changes of the tasks it names.
 *
 * Every message is the whole task as `tasks/get` would show it, so a slow subscriber misses steps but never the state.
 * Closing stops the notifications, never the work.
 */

import { setMaxListeners } from 'node:events';
import type { TaskClient } from '../../engine/task-client.ts';
import { isTaskError } from '../../errors.ts';
import { RPC_CODES } from '../../rpc-codes.ts';
import type { Task } from '../../task/record.ts';
import { isTerminal } from '../../task/status.ts';
import { RpcFailure } from '../shared/outcomes/rpc-failure.ts';
import type { InputCapabilities } from '../shared/questions/mcp-input.ts';
import { missingExtensionError, TASKS_EXTENSION } from '../shared/tasks-extension.ts';
import { type Task2026, toDetailedTask } from './wire.ts';

const TASK_NOTIFICATION = 'notifications/tasks';
const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId';
const CLIENT_CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';

// Each followed task costs a reader of its own.
const MAX_TASKS = 1000;

export type SubscriptionId = string | number;

export interface Notification {
  readonly jsonrpc: '2.0';
  readonly method: string;
  readonly params: { readonly [key: string]: unknown };
}

/** What a listen request asks for. */
export interface TaskFilter {
  readonly taskIds: readonly string[];
  /** What the subscriber can be asked. */
  readonly capabilities: InputCapabilities;
}

/** Parses the part of a listen request that is about tasks. */
export function parseTaskFilter(params: unknown): TaskFilter {
  const { notifications, _meta } = (params ?? {}) as { notifications?: { taskIds?: unknown }; _meta?: unknown };
  const capabilities = readCapabilities(_meta);
  const taskIds = notifications?.taskIds;
  if (capabilities.extensions?.[TASKS_EXTENSION] === undefined) throw missingExtensionError();
  if (!Array.isArray(taskIds) || !taskIds.every((taskId) => typeof taskId === 'string')) {
    throw new RpcFailure(RPC_CODES.INVALID_PARAMS, 'Invalid params: notifications.taskIds must be a list of task ids');
  }
  const unique = [...new Set<string>(taskIds)];
  if (unique.length <= MAX_TASKS) return { taskIds: unique, capabilities };
  throw new RpcFailure(
    RPC_CODES.INVALID_PARAMS,
    `Invalid params: notifications.taskIds may name ${MAX_TASKS} tasks at most`,
  );
}

/** Returns the tasks that this principal may follow; others, unknown or not, are left out of the acknowledgement. */
export async function findTasks(engine: TaskClient, principal: string, taskIds: readonly string[]): Promise<Task[]> {
  const found = await Promise.all(taskIds.map((taskId) => findTask(engine, principal, taskId)));
  return found.filter((task) => task !== undefined && task.outcome?.kind !== 'expired') as Task[];
}

/** Returns the acknowledgement with the accepted task ids added to what else was accepted. */
export function withTaskIds<T extends object>(acknowledgement: T, tasks: readonly Pick<Task, 'taskId'>[]): T {
  if (tasks.length === 0) return acknowledgement;
  const { params } = acknowledgement as { params?: { notifications?: object } };
  const notifications = { ...params?.notifications, taskIds: tasks.map(({ taskId }) => taskId) };
  return { ...acknowledgement, params: { ...params, notifications } };
}

export interface TaskSubscriptionOptions {
  readonly engine: TaskClient;
  readonly subscriptionId: SubscriptionId;
  readonly tasks: readonly Pick<Task, 'taskId' | 'principal'>[];
  readonly capabilities: InputCapabilities;
  /** Sends what `read` returns, if anything, one message after the other; resolves when the subscriber can receive more. */
  send(read: () => Promise<Notification | undefined>): void | Promise<void>;
  report(error: unknown): void;
}

export class TaskSubscription {
  readonly #options: TaskSubscriptionOptions;
  readonly #closing = new AbortController();

  constructor(options: TaskSubscriptionOptions) {
    this.#options = options;
    // Every followed task adds a listener, and there may be many.
    setMaxListeners(0, this.#closing.signal);
  }

  /** Sends the current state of each task and then every change; resolves when all tasks have ended, or on close. */
  async run(): Promise<void> {
    const { tasks, report } = this.#options;
    await Promise.all(
      tasks.map((task) =>
        this.#follow(task).catch((error: unknown) => {
          // A task that expires or a connection that breaks meanwhile is no failure: no subscriber is left to notify.
          if (!this.#closing.signal.aborted && !isTaskError(error, 'TASK_NOT_FOUND')) report(error);
        }),
      ),
    );
  }

  close(): void {
    this.#closing.abort();
  }

  async #follow({ taskId, principal }: Pick<Task, 'taskId' | 'principal'>): Promise<void> {
    const { signal } = this.#closing;
    const sent: SentState = { seq: 0, isOver: false };
    // The first message covers what happened before the acknowledgement.
    await this.#sendTask({ taskId, principal }, sent);
    if (sent.isOver) return;
    for await (const event of this.#options.engine.watch(taskId, { principal, afterSeq: sent.seq, signal })) {
      const seq = event.type === 'gap' ? event.to : event.seq;
      if (seq > sent.seq && !signal.aborted) await this.#sendTask({ taskId, principal }, sent);
    }
  }

  /** Sends the task unless it looks the same as before. It is read when its turn comes, so the queue holds ids, not results. */
  #sendTask({ taskId, principal }: Pick<Task, 'taskId' | 'principal'>, sent: SentState): void | Promise<void> {
    const { engine, capabilities, subscriptionId } = this.#options;
    return this.#options.send(async () => {
      if (this.#closing.signal.aborted) return undefined;
      const task = await engine.get(taskId, { principal });
      sent.seq = task.lastSeq;
      sent.isOver = isTerminal(task.status);
      if (task.outcome?.kind === 'expired') return undefined;
      const detailed = toDetailedTask(task, { capabilities, now: engine.now() });
      const visibleState = toVisibleState(detailed);
      if (visibleState === sent.visibleState) return undefined;
      sent.visibleState = visibleState;
      return toNotification(detailed, subscriptionId);
    });
  }
}

/** What was last sent to a subscriber about a task. */
interface SentState {
  seq: number;
  isOver: boolean;
  visibleState?: string;
}

function toNotification(task: Task2026, subscriptionId: SubscriptionId): Notification {
  const params = { ...task, _meta: { ...(task._meta as object | undefined), [SUBSCRIPTION_ID]: subscriptionId } };
  return { jsonrpc: '2.0', method: TASK_NOTIFICATION, params };
}

/** A step that a client cannot see (a claim, a retry) changes only the time and the poll interval, which do not count here. */
function toVisibleState({ lastUpdatedAt: _, pollIntervalMs: __, ...task }: Task2026): string {
  return JSON.stringify(task);
}

type Capabilities = InputCapabilities & { readonly extensions?: { readonly [name: string]: unknown } };

function readCapabilities(meta: unknown): Capabilities {
  return (meta as { [CLIENT_CAPABILITIES]?: Capabilities } | undefined)?.[CLIENT_CAPABILITIES] ?? {};
}

async function findTask(engine: TaskClient, principal: string, taskId: string): Promise<Task | undefined> {
  try {
    return await engine.get(taskId, { principal });
  } catch (error) {
    if (isTaskError(error, 'TASK_NOT_FOUND')) return undefined;
    throw error;
  }
}
