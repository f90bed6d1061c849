/** Limits on the size of a config: clients add to it, and every file of a sync is checked against all of it. */

import type { z } from 'zod';
import type { RefusalParams } from '../../../app-kit/index.ts';
import { MONITOR_LIMITS } from '../monitor-limits.ts';

export function limitCount(entries: readonly unknown[], context: z.RefinementCtx): void {
  limit(context, { count: entries.length, of: 'entries', max: MONITOR_LIMITS.maxEntries });
}

export function limitLength(max: number): (text: unknown, context: z.RefinementCtx) => void {
  return (text, context) => {
    if (typeof text === 'string') limit(context, { count: text.length, of: 'characters', max });
  };
}

export function limitTotal(globs: readonly string[], context: z.RefinementCtx): void {
  const count = globs.reduce((sum, glob) => sum + glob.length, 0);
  limit(context, { count, of: 'characters in all', max: MONITOR_LIMITS.maxGlobListChars });
}

function limit(context: z.RefinementCtx, { count, of, max }: { count: number; of: string; max: number }): void {
  if (count <= max) return;
  const params: RefusalParams = { says: `has ${count} ${of}` };
  context.addIssue({ code: 'custom', message: `at most ${max}`, params });
}
