/** Parses lines of `codex exec --json`, and extracts what they mean for a run. */

import { cutText, isObject } from '../../../app-kit/index.ts';
import type { Json } from '../../../index.ts';
import { isThreadId } from '../ids.ts';
import type { OutputLine } from './line-splitter.ts';

export type JsonObject = { readonly [key: string]: Json };

/** A piece of output, as sent to watchers of the run. */
export type RunPiece =
  | { readonly source: 'codex'; readonly event: JsonObject }
  | {
      readonly source: 'raw' | 'stderr';
      readonly text: string;
      readonly truncated?: true;
      readonly originalLength?: number;
    }
  | { readonly source: 'system'; readonly event: JsonObject };

/** The longest text of one event, in UTF-16 units. */
export const MAX_TEXT = 50_000;

const MAX_EVENT = 1_000_000;
const MESSAGES: readonly unknown[] = ['agent_message', 'assistant_message', 'message'];

/** Parses a line of stdout; undefined when it is not an event. */
export function parseEvent({ text, length }: OutputLine): JsonObject | undefined {
  if (length > text.length || !text.startsWith('{')) return undefined;
  try {
    const value = JSON.parse(text) as Json;
    return isObject(value) && typeof value.type === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Wraps output that is not an event. */
export function toTextPiece(source: 'raw' | 'stderr', { text, length }: OutputLine): RunPiece {
  if (length <= MAX_TEXT) return { source, text };
  return { source, text: cutText(text, MAX_TEXT), truncated: true, originalLength: length };
}

/** Wraps an event and truncates its long texts: the result holds the whole answer, and watchers do not need it. */
export function toEventPiece(event: JsonObject, length: number): RunPiece {
  if (length <= MAX_TEXT) return { source: 'codex', event };
  const shorter = shorten(event) as JsonObject;
  if (JSON.stringify(shorter).length <= MAX_EVENT) return { source: 'codex', event: shorter };
  const { type = '', item } = event;
  const { id = '', type: kind = '' } = isObject(item) ? item : {};
  return { source: 'codex', event: { type, item: { id, type: kind }, truncated: true, originalLength: length } };
}

/** Returns the message to the user in this event, if any. */
export function findMessage({ type, item }: JsonObject): string | undefined {
  if (type !== 'item.completed' || !isObject(item) || !MESSAGES.includes(item.type)) return undefined;
  return typeof item.text === 'string' ? item.text : undefined;
}

/** Returns why a turn or the whole run failed, if this event says so. */
export function findFailure({ type, message, error }: JsonObject): string | undefined {
  if (type === 'turn.failed')
    return isObject(error) && typeof error.message === 'string' ? error.message : 'turn failed';
  return type === 'error' && typeof message === 'string' ? message : undefined;
}

export function isThreadStart({ type }: JsonObject): boolean {
  return type === 'thread.started';
}

/** Returns the thread id of a thread start event; undefined when the id is invalid. */
export function findThread(event: JsonObject): string | undefined {
  return isThreadStart(event) && isThreadId(event.thread_id) ? event.thread_id : undefined;
}

export interface TodoList {
  readonly id: string;
  readonly items: readonly { readonly text: string; readonly completed: boolean }[];
}

export function findTodoList({ type, item }: JsonObject): TodoList | undefined {
  if (typeof type !== 'string' || !type.startsWith('item.') || !isObject(item)) return undefined;
  if (item.type !== 'todo_list' || !Array.isArray(item.items)) return undefined;
  const items = item.items.flatMap((one) =>
    isObject(one) && typeof one.text === 'string' ? [{ text: one.text, completed: one.completed === true }] : [],
  );
  return { id: typeof item.id === 'string' ? item.id : '', items };
}

function shorten(value: Json): Json {
  if (typeof value === 'string') {
    if (value.length <= MAX_TEXT) return value;
    return `${cutText(value, MAX_TEXT)} …(truncated, originalLength=${value.length})`;
  }
  if (Array.isArray(value)) return value.map(shorten);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shorten(one)]));
}
