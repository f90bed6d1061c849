/** Formats tasks and values for people. */

import type { Task } from '../../task/record.ts';
import type { Status } from '../../task/status.ts';
import { toPlainJson } from '../../text/plain-text.ts';
import { toDurationText } from '../command-line/duration.ts';
import type { Terminal } from './terminal.ts';

const STATUS_STYLES = {
  queued: 'gray',
  working: 'cyan',
  input_required: 'yellow',
  completed: 'green',
  failed: 'red',
  cancelled: 'magenta',
} as const satisfies Record<Status, string>;

export function paintStatus(status: Status, terminal: Terminal): string {
  return terminal.paint(STATUS_STYLES[status], status);
}

/** Formats rows and a header as columns. `paint` is called with each cell after padding. */
export function toTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  paint: (cell: string, column: number) => string = (cell) => cell,
): string[] {
  // Not spread into one `Math.max`: a long list has more rows than a function call may have arguments.
  const widths = head.map((title, column) =>
    rows.reduce((width, row) => Math.max(width, (row[column] ?? '').length), title.length),
  );
  const toLine = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0));
  const join = (cells: readonly string[]) => cells.join('  ').trimEnd();
  return [join(toLine(head)), ...rows.map((row) => join(toLine(row).map(paint)))];
}

/** A share from 0 to 1 as per cent; a count with an unknown total as it is. */
export function toProgressText(progress: Task['progress']): string {
  if (progress === undefined) return '';
  const { value } = progress;
  return value >= 0 && value <= 1 ? `${Math.floor(value * 100)}%` : String(value);
}

/** A time, with its distance from now. */
export function toTimeText(at: number, now: number): string {
  const distance = at > now ? `in ${toDurationText(at - now)}` : `${toDurationText(now - at)} ago`;
  return `${new Date(at).toISOString()} (${distance})`;
}

const SHOWN_LINES = 4;

/** JSON on one line, truncated on a terminal. */
export function toValueText(value: unknown, terminal: Terminal): string {
  const text = toPlainJson(value);
  const room = terminal.columns * SHOWN_LINES;
  if (!terminal.isTty || text.length <= room) return text;
  return `${text.slice(0, room)}… (${text.length - room} more characters; --json shows all)`;
}
