/** Calls of other contracts whose work is a task on a server that has tasks: they can be followed as one. */
import type { CallOutcome, HostPort, JsonObject } from '../../dialects/host-port.ts';
import { TASKS_EXTENSION } from '../../dialects/shared/tasks-extension.ts';
import { followTask2025 } from '../../dialects/tasks-2025/host.ts';
import { followTask2026 } from '../../dialects/tasks-2026/host.ts';

/** Whether a server can be asked for a task. */
export function hasTasks({ era, capabilities }: HostPort['server']): boolean {
  if (era === 'legacy') return capabilities.tasks !== undefined;
  const { extensions } = capabilities as { readonly extensions?: JsonObject };
  return extensions?.[TASKS_EXTENSION] !== undefined;
}

/** Waits for the outcome of a task, in the way of the era. */
export function followOwnTask(taskId: string, port: HostPort): Promise<CallOutcome> {
  if (port.server.era === 'modern') return followTask2026({ dialect: 'tasks-2026', taskId }, port);
  return followTask2025({ dialect: 'tasks-2025', taskId }, port);
}
