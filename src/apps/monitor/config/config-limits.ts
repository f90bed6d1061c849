/** How much a config may hold: clients add to it, and every file of a sync is judged by all of it. */

import { TaskError } from '../../../index.ts';
import { MONITOR_LIMITS } from '../monitor-limits.ts';
export function checkCount(count: number, field: string): void {
  check(field, { count, of: 'entries', max: MONITOR_LIMITS.maxEntries });
}

export function checkLength(text: string, max: number, field: string): void {
  check(field, { count: text.length, of: 'characters', max });
}

export function checkTotal(globs: readonly string[], field: string): void {
  const count = globs.reduce((sum, glob) => sum + glob.length, 0);
  check(field, { count, of: 'characters in all', max: MONITOR_LIMITS.maxGlobListChars });
}

function check(field: string, { count, of, max }: { count: number; of: string; max: number }): void {
  if (count <= max) return;
  throw new TaskError('INVALID_ARGUMENT', `${field} has ${count} ${of}; expected at most ${max}`, { data: { field } });
}
