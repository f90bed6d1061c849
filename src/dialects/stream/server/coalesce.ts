/**
 * Merges events for a client that has fallen behind, so that it catches up before events must be dropped.
 *
 * Only adjacent events are merged, and only where the later one is enough: progress, repeated updates of one Codex
 * item, lines of output. The merged event then covers all numbers from `from` to `seq`.
 */
import { isObject } from '../../../is-object.ts';
import type { Json } from '../../../task/json.ts';
import type { RunEvent } from '../run-event.ts';

const BEHIND_MS = 250;
const MAX_TEXT = 16_000;

/** Passes events on as they come, and merges them while they are late. */
export async function* coalesce(events: AsyncGenerator<RunEvent>, now: () => number): AsyncGenerator<RunEvent> {
  try {
    yield* putTogether(events, now);
  } finally {
    // Not awaited: it resolves only when the pending event arrives.
    events.return(undefined).catch(() => {});
  }
}

async function* putTogether(events: AsyncGenerator<RunEvent>, now: () => number): AsyncGenerator<RunEvent> {
  let held: RunEvent | undefined;
  for (;;) {
    const coming = events.next();
    if (held && !(await isThere(coming))) {
      yield held;
      held = undefined;
    }
    const { done, value } = await coming;
    if (done) break;
    const taken = take(held, value, now());
    yield* taken.told;
    held = taken.held;
  }
  if (held) yield held;
}

/** Returns the events to send now that one has arrived, and the event that is held for merging. */
function take(held: RunEvent | undefined, event: RunEvent, now: number): { told: RunEvent[]; held?: RunEvent } {
  const merged = held && merge(held, event);
  if (merged) return { told: [], held: merged };
  const before = held ? [held] : [];
  return isLate(event, now) ? { told: before, held: event } : { told: [...before, event] };
}

/** Merges two adjacent events; undefined when each has content of its own. */
export function merge(first: RunEvent, second: RunEvent): RunEvent | undefined {
  const kind = toKind(first);
  if (kind === undefined || kind !== toKind(second)) return undefined;
  const from = first.from ?? first.seq;
  if (first.text === undefined || second.text === undefined) return { ...second, from };
  const text = `${first.text}\n${second.text}`;
  return text.length <= MAX_TEXT ? { ...second, from, text } : undefined;
}

/** Returns a key that mergeable events share; undefined for an event that may not be merged. */
function toKind({ source, event, text, truncated }: RunEvent): string | undefined {
  if (source === 'raw' || source === 'stderr') return text === undefined || truncated ? undefined : source;
  if (!isObject(event)) return undefined;
  if (source === 'system' && event.type === 'progress') return 'progress';
  const isUpdate = source === 'codex' && event.type === 'item.updated' && isObject(event.item);
  return isUpdate ? `item ${JSON.stringify((event.item as JsonObject).id)}` : undefined;
}

function isLate(event: RunEvent, now: number): boolean {
  return toKind(event) !== undefined && now - Date.parse(event.ts) > BEHIND_MS;
}

/** Whether the next event is already there. If not, the client has caught up, and is sent the held event. */
function isThere(coming: Promise<unknown>): Promise<boolean> {
  const there = coming.then(
    () => true,
    () => true,
  );
  return Promise.race([there, new Promise<boolean>((resolve) => setImmediate(() => resolve(false)))]);
}

type JsonObject = { readonly [key: string]: Json };
