/**
 * The view of a call in hosts of MCP Apps, as it appears on the wire: a resource, and two tools that no model sees.
 *
 * https://github.com/modelcontextprotocol/ext-apps: specification/2026-01-26/apps.mdx. Hosts forward no progress to
 * views and views have no tasks, so a view polls, and is answered at once.
 */
import type { Json } from '../../task/json.ts';
import type { RpcError } from '../shared/outcomes/wire-outcome.ts';
import type { InputRequest } from '../shared/questions/mcp-input.ts';

export const VIEW_URI = 'ui://holdfast/task';

/** Reads a task, by its id or by the call that created it. */
export const VIEW_TOOL = 'holdfast_task_view';
/** Answers a question of a task, or stops it. */
export const ACT_TOOL = 'holdfast_task_act';

/** The arguments of `VIEW_TOOL`: the id, or a call that is running. */
export interface ViewRequest {
  readonly task_id?: string;
  readonly tool?: string;
  readonly arguments?: { readonly [name: string]: Json };
}

/** The arguments of `ACT_TOOL`. */
export interface ActRequest {
  readonly task_id: string;
  readonly action: 'accept' | 'decline' | 'cancel' | 'stop';
  /** Which question; not with `stop`. */
  readonly key?: string;
  readonly content?: { readonly [field: string]: Json };
}

/** The structured content that both tools return. */
export interface ViewAnswer {
  /** The server's time, epoch ms. */
  readonly now: number;
  /** Absent when no call with these arguments is running. */
  readonly task?: TaskView;
}

/** The structured content in place of `ViewAnswer` after an error; the text says what went wrong. */
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
