import { TaskError } from '../errors.ts';

/** The default time for which a finished task can still be read: one hour. */
export const DEFAULT_TTL_MS = 3_600_000;

/** The longest finite TTL: one year. `null` keeps a task until it is pruned manually. */
export const MAX_TTL_MS = 31_536_000_000;

/** Accepts `null`, or a whole number of ms from 0 to a year. */
export function parseTtl(value: unknown): number | null {
  if (value === null) return null;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_TTL_MS) return value;
  throw new TaskError(
    'INVALID_TTL',
    `ttlMs is ${typeof value === 'string' ? JSON.stringify(value) : String(value)}; expected a whole number of milliseconds from 0 to ${MAX_TTL_MS} (one year), or null to keep the task`,
  );
}

/** The TTL counts from the end of the work, so a running task never expires. */
export function toExpiry(endedAt: number, ttlMs: number | null): number | undefined {
  return ttlMs === null ? undefined : endedAt + ttlMs;
}
