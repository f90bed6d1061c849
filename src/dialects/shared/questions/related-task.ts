/** How a message of MCP 2025-11-25 says which task it belongs to. */

import { isObject } from '../../../is-object.ts';
import type { Task } from '../../../task/record.ts';

/** The `_meta` key that says which task a message belongs to. */
export const RELATED_TASK = 'io.modelcontextprotocol/related-task';

/** Returns the result, request or notification with its task named in `_meta`; other metadata stays. */
export function withRelatedTask<T extends object>(message: T, taskId: string) {
  const meta = (message as { readonly _meta?: unknown })._meta;
  const kept: object = isObject(meta) ? meta : {};
  return { ...message, _meta: { ...kept, [RELATED_TASK]: { taskId } } };
}

/** Whether a task was created as one of MCP 2025-11-25: its client knows its id. */
export function isTask2025({ labels }: Pick<Task, 'labels'>): boolean {
  return labels?.dialect === 'tasks-2025';
}
