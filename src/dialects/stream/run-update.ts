/** Which events of a run are shown while it runs, and how. */
import { isObject } from '../../is-object.ts';
import type { Json } from '../../task/json.ts';
import type { CallUpdate, JsonObject } from '../host-port.ts';

const MESSAGES = ['agent_message', 'assistant_message', 'message'];

/** Returns the assistant's message if the event is a complete one. */
export function readAssistantText(event: JsonObject | undefined): string | undefined {
  const { type, item } = toObject(event?.event);
  const { type: itemType, text } = toObject(item);
  const isMessage = type === 'item.completed' && typeof itemType === 'string' && MESSAGES.includes(itemType);
  return isMessage && typeof text === 'string' ? text : undefined;
}

/** Returns the runner's own event: in `event`, or as the oldest apps send it, with a `kind` among the fields. */
export function readSystemEvent(event: JsonObject | undefined): JsonObject | undefined {
  if (event?.source !== 'system') return undefined;
  return typeof event.kind === 'string'
    ? { ...event, ...toObject(event.gap), type: event.kind }
    : toObject(event.event);
}

/**
 * Returns the update for one event: progress and status as such, the assistant's messages whole, any other event as the
 * line its server formatted. Undefined when there is nothing to show.
 */
export function toRunUpdate(event: JsonObject | undefined, line: string | undefined): CallUpdate | undefined {
  const text = readAssistantText(event) ?? line;
  const known = toKnown(readSystemEvent(event) ?? {});
  if (known) return known;
  return text === undefined || text === '' ? undefined : { type: 'text', text };
}

function toKnown({ type, status, value, message }: JsonObject): CallUpdate | undefined {
  if (type === 'status' && typeof status === 'string') return { type: 'status', status };
  if (type !== 'progress' || typeof value !== 'number') return undefined;
  return { type: 'progress', value, ...(typeof message === 'string' && { message }) };
}

function toObject(value: Json | undefined): JsonObject {
  return isObject(value) ? (value as JsonObject) : {};
}
