/** Tasks of the extension of 2026-07-28, for hosts. */
import type { HostDialect } from '../host-dialect.ts';
import type { CallHandle, JsonObject, ServerFacts } from '../host-port.ts';
import { TASKS_EXTENSION } from '../shared/tasks-extension.ts';

export interface TaskHandle2026 extends CallHandle {
  readonly dialect: 'tasks-2026';
  readonly taskId: string;
  readonly pollIntervalMs?: number;
  /** When the server forgets the task, by our clock. */
  readonly expiresAt?: number;
}

export const tasks2026Host: HostDialect<TaskHandle2026> = {
  name: 'tasks-2026',
  extensions: [TASKS_EXTENSION],
  read: ({ result, server, now }) => (server.era === 'modern' ? readTask2026(result, now) : undefined),
  follow: async (handle, port) => (await import('./host-follow.ts')).followTask2026(handle, port),
  cancel: async ({ taskId }, port) => (await port.request('tasks/cancel', { taskId })).kind === 'result',
  toTaskHandle: (taskId, server) => (hasTasks2026(server) ? { dialect: 'tasks-2026', taskId } : undefined),
};

/** Returns the handle in the answer to a call; undefined when the answer is not a task. */
export function readTask2026(result: JsonObject, now: number): TaskHandle2026 | undefined {
  const { resultType, taskId, pollIntervalMs, ttlMs } = result;
  if (resultType !== 'task' || typeof taskId !== 'string') return undefined;
  return {
    dialect: 'tasks-2026',
    taskId,
    ...(typeof pollIntervalMs === 'number' && { pollIntervalMs }),
    ...(typeof ttlMs === 'number' && { expiresAt: now + ttlMs }),
  };
}

function hasTasks2026({ era, capabilities }: ServerFacts): boolean {
  const { extensions } = capabilities as { readonly extensions?: JsonObject };
  return era === 'modern' && extensions?.[TASKS_EXTENSION] !== undefined;
}
