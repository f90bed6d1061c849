/** Tasks of 2025-11-25, for hosts. */
import type { Json } from '../../task/json.ts';
import type { HostDialect, OutgoingCall } from '../host-dialect.ts';
import type { CallHandle, JsonObject } from '../host-port.ts';
import { RELATED_TASK } from '../shared/questions/related-task.ts';

export interface TaskHandle2025 extends CallHandle {
  readonly dialect: 'tasks-2025';
  readonly taskId: string;
  readonly pollInterval?: number;
  /** When the server forgets the task, by our clock. */
  readonly expiresAt?: number;
}

export const tasks2025Host: HostDialect<TaskHandle2025> = {
  name: 'tasks-2025',
  dress: (call) => (takesTasks(call) ? { task: {} } : undefined),
  read: ({ result, server, now }) => (server.era === 'legacy' ? readTask2025(result, now) : undefined),
  follow: async (handle, port) => (await import('./host-follow.ts')).followTask2025(handle, port),
  cancel: async ({ taskId }, port) => (await port.request('tasks/cancel', { taskId })).kind === 'result',
  toTaskHandle(taskId, { era, capabilities }) {
    return era === 'legacy' && capabilities.tasks !== undefined ? { dialect: 'tasks-2025', taskId } : undefined;
  },
  readRelatedTask(params) {
    const meta = params._meta as { readonly [key: string]: Json } | undefined;
    const related = meta?.[RELATED_TASK] as { taskId?: Json } | undefined;
    return typeof related?.taskId === 'string' ? related.taskId : undefined;
  },
};

/** Returns the handle in the answer to a call; undefined when the answer is not a task. */
function readTask2025(result: JsonObject, now: number): TaskHandle2025 | undefined {
  const { taskId, pollInterval, ttl } = (result.task ?? {}) as { taskId?: Json; pollInterval?: Json; ttl?: Json };
  if (typeof taskId !== 'string') return undefined;
  return {
    dialect: 'tasks-2025',
    taskId,
    ...(typeof pollInterval === 'number' && { pollInterval }),
    ...(typeof ttl === 'number' && { expiresAt: now + ttl }),
  };
}

/** Whether to ask for a task: a plain call of a tool that may be a task would be held, and lost with its connection. */
function takesTasks({ server: { era, capabilities }, listed }: OutgoingCall): boolean {
  const { tasks } = capabilities as { tasks?: { requests?: { tools?: { call?: unknown } } } };
  const support = (listed?.execution as { taskSupport?: Json } | undefined)?.taskSupport;
  const isSupported = support === 'optional' || support === 'required';
  return era === 'legacy' && tasks?.requests?.tools?.call !== undefined && isSupported;
}
