/**
 * Formats each event of a run as one line of text, for people and logs.
 *
 * Events are written by third-party programs too: a field that is missing or of another type is shown as empty.
 */
import { cutText } from '../../text/cut-text.ts';
import { formatItem } from './format-item.ts';

type Fields = { readonly [key: string]: unknown };

const LONGEST = 320;

/** Returns the line of one event, as in `[2026-01-20T10:12:13.000Z] turn.started`. */
export function formatRunEvent(event: unknown): string {
  const fields = toFields(event);
  return `[${toText(fields.ts) || new Date().toISOString()}] ${formatBody(fields)}`;
}

function formatBody(event: Fields): string {
  switch (event.source) {
    case 'stderr':
    case 'raw':
      return `${event.source} ${toText(event.text).trimEnd()}${formatTruncated(event)}`;
    case 'system':
      return formatSystem(event);
    case 'codex':
      return formatCodex(toFields(event.event));
    default:
      return toJson(event);
  }
}

function formatTruncated({ truncated, originalLength }: Fields): string {
  return truncated ? ` …(truncated, originalLength=${Number(originalLength) || 0})` : '';
}

/** Formats the runner's own events: in `event`, or as the original servers send them, with a `kind` among the fields. */
function formatSystem(event: Fields): string {
  const said = typeof event.kind === 'string' ? { ...event, type: event.kind } : toFields(event.event);
  const { type, command, args, status, message, warning } = said as Fields;
  switch (type) {
    case 'spawn':
      return `spawn ${toText(command)} ${Array.isArray(args) ? args.map(toText).join(' ') : ''}`;
    case 'status':
      return `status ${toText(status)}`;
    case 'warning':
      return `warning ${toText(message) || toText(warning)}`;
    case 'error':
      return `error ${toText(message) || toText(toFields((said as Fields).error).message)}`;
    case 'gap':
      return formatGap(said);
    default:
      return `system ${toJson(typeof event.kind === 'string' ? event : said)}`;
  }
}

function formatGap(said: Fields): string {
  const { from, to } = 'gap' in said ? toFields(said.gap) : said;
  const isWhole = Number.isFinite(from) && Number.isFinite(to);
  return isWhole ? `gap dropped_events seq=[${String(from)}, ${String(to)})` : `system ${toJson(said)}`;
}

function formatCodex(event: Fields): string {
  const { type } = event;
  switch (type) {
    case 'thread.started':
      return `thread.started threadId=${toText(event.thread_id)}`;
    case 'turn.started':
      return 'turn.started';
    case 'turn.completed':
      return `turn.completed usage=${JSON.stringify(event.usage ?? null)}`;
    case 'turn.failed':
      return `turn.failed ${toText(toFields(event.error).message)}`;
    case 'error':
      return `error ${toText(event.message)}`;
    case 'item.started':
    case 'item.updated':
    case 'item.completed':
      return `${type} ${formatItem(event.item)}`;
    default:
      return `${toText(type) || 'event'} ${toJson(event)}`;
  }
}

function toFields(value: unknown): Fields {
  return value !== null && typeof value === 'object' ? (value as Fields) : {};
}

function toText(value: unknown): string {
  return value === undefined || value === null ? '' : String(value);
}

function toJson(value: unknown): string {
  return cutText(JSON.stringify(value), LONGEST);
}
