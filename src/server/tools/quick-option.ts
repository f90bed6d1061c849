/** Validates `quickMs`: when calls of a tool may be tried without a task. */
import type { z } from 'zod';
import { isFunction, value } from '../../options/option-schemas.ts';
import type { ServerTool } from './server-tool.ts';

/** Options that conflict with `quickMs`: a quick call may run twice, and no task is announced. */
const UNLIKE_QUICK = ['queue', 'isolate', 'deliver', 'onSubmitted', 'redact'] as const;

export function quickTime() {
  return value<NonNullable<ServerTool['quickMs']>>('a whole number from 0 up, or a function', isQuickTime);
}

function isQuickTime(given: unknown): boolean {
  return isFunction(given) || (Number.isSafeInteger(given) && (given as number) >= 0);
}

export function checkQuick(tool: { readonly [Field in keyof ServerTool]?: unknown }, context: z.RefinementCtx): void {
  if (!tool.quickMs) return;
  const refuse = (message: string) => context.addIssue({ code: 'custom', path: ['quickMs'], message });
  if (tool.idempotent !== true) refuse('only together with idempotent: true');
  if (tool.task !== 'auto') refuse("only with task 'auto'");
  for (const field of UNLIKE_QUICK) if (tool[field]) refuse(`not together with ${field}`);
}
