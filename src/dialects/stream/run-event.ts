/** A run's events as clients see them: numbered without gaps, each with its time and its source. */
import { isObject } from '../../is-object.ts';
import type { EventGap, TaskEvent } from '../../task/event.ts';
import type { Json } from '../../task/json.ts';

/** One event of a run. */
export interface RunEvent {
  readonly seq: number;
  /** The first number it covers, when several events were merged into it. */
  readonly from?: number;
  /** ISO 8601 */
  readonly ts: string;
  /** `codex`, `stderr`, `raw` or `system`; other servers may send other sources. */
  readonly source: string;
  readonly event?: Json;
  readonly text?: string;
  readonly truncated?: boolean;
  readonly originalLength?: number;
}

type Piece = Omit<RunEvent, 'seq' | 'from' | 'ts'>;

const SOURCES: readonly unknown[] = ['codex', 'stderr', 'raw', 'system'];

/** Converts a task's event to an event of its run; undefined for events that a run does not show. */
export function toRunEvent(event: TaskEvent): RunEvent | undefined {
  const about = { seq: event.seq, ts: new Date(event.at).toISOString() };
  if (event.type === 'stream') return { ...toPiece(event.data), ...about };
  const system = toSystemEvent(event);
  return system === undefined ? undefined : { ...about, source: 'system', event: system };
}

/** Returns the event that reports events that are no longer stored: `from` included, `to` excluded. */
export function toGapEvent({ from, to }: EventGap, at: number): RunEvent {
  const ts = new Date(at).toISOString();
  return { seq: from, ts, source: 'system', event: { type: 'gap', from, to: to + 1 } };
}

/** Converts what the tool emitted: an event that names its source, a text, or any other value. */
function toPiece(data: Json): Piece {
  if (typeof data === 'string') return { source: 'raw', text: data };
  if (!isObject(data) || !SOURCES.includes(data.source)) return { source: 'system', event: { type: 'data', data } };
  // The tool may not set the numbers.
  const { from: _unused, ...piece } = data;
  return piece as unknown as Piece;
}

function toSystemEvent(event: Exclude<TaskEvent, { type: 'stream' }>): Json | undefined {
  switch (event.type) {
    case 'submitted':
    case 'requeued':
      return { type: 'status', status: 'queued' };
    case 'claimed':
    case 'answered':
      return { type: 'status', status: 'running' };
    case 'asked':
    case 'parked':
      return { type: 'status', status: 'input_required' };
    case 'stepped':
      return { type: 'log', level: 'debug', message: `step ${event.name}` };
    case 'progress': {
      const { value, message } = event;
      return { type: 'progress', value, ...(message !== undefined && { message }) };
    }
    case 'log':
      return toLogEvent(event);
    case 'spawned':
    case 'exited':
    case 'taken-over':
    case 'adopted':
    case 'stalled':
    case 'ended':
      return undefined;
  }
}

function toLogEvent({ level, message, data }: Extract<TaskEvent, { type: 'log' }>): Json {
  const rest = { message, ...(data !== undefined && { data }) };
  return level === 'warning' || level === 'error' ? { type: level, ...rest } : { type: 'log', level, ...rest };
}
