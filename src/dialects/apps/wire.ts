/**
 * The view of a call in hosts of MCP Apps, as it looks on the wire: a resource, and two tools that no model sees.
 *
 * https://github.com/modelcontextprotocol/ext-apps: specification/2026-01-26/apps.mdx. Hosts pass no progress on to views
 * and views know no tasks, so a view asks again and again, and is answered at once.
 */
import type { Json } from '../../task/json.ts';
import type { RpcError } from '../shared/outcomes/wire-outcome.ts';
import type { InputRequest } from '../shared/questions/mcp-input.ts';

export const VIEW_URI = 'ui://holdfast/task';

/** Reads a task, by its id or by the call that it was made of. */
export const VIEW_TOOL = 'holdfast_task_view';
/** Answers a question of a task, or stops it. */
export const ACT_TOOL = 'holdfast_task_act';

/** What `VIEW_TOOL` takes: the id, or a call that is under way. */
export interface ViewRequest {
  readonly task_id?: string;
  readonly tool?: string;
  readonly arguments?: { readonly [name: string]: Json };
}

/** What `ACT_TOOL` takes. */
export interface ActRequest {
  readonly task_id: string;
  readonly action: 'accept' | 'decline' | 'cancel' | 'stop';
  /** Which question; not with `stop`. */
  readonly key?: string;
  readonly content?: { readonly [field: string]: Json };
}

/** What both answer, as structured content. */
export interface ViewAnswer {
  /** The server's time, epoch ms. */
  readonly now: number;
  /** Nothing when no call of these arguments is under way. */
  readonly task?: TaskView;
}

/** In place of it where something went wrong, beside the words. */
export interface ViewRefusal {
  readonly code: string;
}

/** A task as its view shows it. */
export interface TaskView {
  readonly taskId: string;
  readonly tool: string;
  readonly args: Json;
  readonly createdAt: number;
  readonly endedAt?: number;
  readonly attempt: number;
  readonly progress?: { readonly value: number; readonly message?: string };
  readonly remainingMs?: number;
  readonly estimateMs?: number;
  readonly questions: readonly { readonly key: string; readonly request: InputRequest }[];
  readonly outcome?: ViewOutcome;
}

export type ViewOutcome =
  | { readonly kind: 'result'; readonly result: { readonly [key: string]: Json }; readonly isError: boolean }
  | { readonly kind: 'error'; readonly error: RpcError }
  | { readonly kind: 'cancelled' | 'expired' | 'interrupted'; readonly reason: string };
