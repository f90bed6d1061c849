import type { Task } from '../../../task/record.ts';
import { type ToolResult, toWireOutcome } from './wire-outcome.ts';

/** How a task ended, for clients that accept a text and one of three statuses. */
export interface OutcomeText {
  /** Never blank: a caller must not wait for an empty text. */
  readonly text: string;
  readonly status: OutcomeStatus;
}

/** How a task ended, as one of three statuses. */
export type OutcomeStatus = 'completed' | 'failed' | 'aborted';

/** Returns how a task that has ended ended, as a text. */
export function toOutcomeText(task: Task): OutcomeText {
  const { text, status } = toPlainOutcome(task);
  return { text: text.trim() === '' ? toEmptyResultText(task.tool, status) : text, status };
}

/** Returns the text of a result; empty when there is none. */
export function toResultText({ content, structuredContent }: ToolResult): string {
  const parts = (Array.isArray(content) ? content : []) as { readonly text?: unknown; readonly type?: unknown }[];
  const texts = parts.map(({ text, type }) => (typeof text === 'string' ? text : `[${String(type)}]`));
  const whole = texts.join('\n').trim();
  return whole === '' && structuredContent !== undefined ? JSON.stringify(structuredContent) : whole;
}

/** Returns the text for a tool that returned none. */
export function toEmptyResultText(tool: string, status: OutcomeStatus): string {
  return status === 'completed' ? `${tool} completed` : `${tool} failed, without a word`;
}

function toPlainOutcome(task: Task): OutcomeText {
  const ending = toWireOutcome(task);
  switch (ending.kind) {
    case 'result':
      return { text: toResultText(ending.result), status: ending.isError ? 'failed' : 'completed' };
    case 'error':
      return { text: ending.error.message, status: 'failed' };
    case 'cancelled':
      return { text: `Cancelled: ${ending.reason}`, status: 'aborted' };
    case 'expired':
      return { text: `Expired: ${ending.reason}`, status: 'failed' };
    case 'running':
      throw new Error(`task ${task.taskId} has not ended`);
  }
}
