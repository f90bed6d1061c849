/**
 * What one principal may take of an engine that several share.
 *
 * The defaults bind every principal but `local`, which is the owner's own. A limit that the owner sets binds all.
 */
import { TaskError } from '../errors.ts';
import { MAX_TTL_MS, PRINCIPAL_LIMITS } from '../limits.ts';
import { toValueText } from '../value-text.ts';
import { toKeepable } from './keepable.ts';
import { LOCAL } from './principal.ts';

/** What one principal may take. */
export interface PrincipalLimitOptions {
  /** Tasks that wait, in the queue or for an answer; guards the queue and the memory of the worker. @default 1000 */
  readonly queued?: number;
  /**
   * Attempts that one worker runs at once; guards the slots against a flood of long tasks. Without it a principal may
   * hold three times the slots that are free, and never the last one unless it runs nothing: alone it gets 12 of 16.
   *
   * @default by what is free
   */
  readonly running?: number;
  /** Bytes that its tasks may take in the store; guards the disk. Checked when a task is submitted. @default 268_435_456 */
  readonly storedBytes?: number;
  /** Sessions that it may have open over HTTP; guards the memory of the server. @default 100 */
  readonly sessions?: number;
  /** Subscriptions and streams that it may have open; guards memory and what every change costs. @default 100 */
  readonly subscriptions?: number;
}

/** What callers may take of the store and the workers. */
export interface LimitOptions {
  readonly perPrincipal?: PrincipalLimitOptions;
  /**
   * The longest a call can ask to keep its finished task; guards the disk. What asks for more gets this, and is told so.
   * A tool's own `ttlMs` is the owner's word, and a call may always ask for that.
   *
   * @default 604_800_000 (a week)
   */
  readonly maxTtlMs?: number;
}

/** The limits of one principal. */
export interface PrincipalLimits {
  readonly queued: number;
  /** Absent: by what is free. */
  readonly running: number | undefined;
  readonly storedBytes: number;
  readonly sessions: number;
  readonly subscriptions: number;
}

export interface LimitSettings {
  /** For every principal but the owner's. */
  readonly perPrincipal: PrincipalLimits;
  readonly maxTtlMs: number;
  /** For `local`: what the owner has set, and no limit where nothing was. */
  readonly local: PrincipalLimits & { readonly maxTtlMs: number };
}

const UNLIMITED = {
  queued: Infinity,
  running: Infinity,
  storedBytes: Infinity,
  sessions: Infinity,
  subscriptions: Infinity,
};
const FIELDS = Object.keys(UNLIMITED) as (keyof PrincipalLimits)[];

/** Checks the limits and fills in the defaults. */
export function parseLimits(limits: unknown = {}): LimitSettings {
  const { perPrincipal = {}, maxTtlMs } = toFields('limits', limits, ['perPrincipal', 'maxTtlMs']);
  const given = toFields('limits.perPrincipal', perPrincipal, FIELDS);
  const own: Partial<Record<keyof PrincipalLimits, number>> = {};
  for (const field of FIELDS) {
    if (given[field] !== undefined) own[field] = parseNumber(`limits.perPrincipal.${field}`, given[field], 1);
  }
  const ttl = maxTtlMs === undefined ? undefined : parseNumber('limits.maxTtlMs', maxTtlMs, 0);
  return {
    perPrincipal: { ...PRINCIPAL_LIMITS, running: undefined, ...own },
    maxTtlMs: ttl ?? MAX_TTL_MS,
    local: { ...UNLIMITED, ...own, maxTtlMs: ttl ?? Infinity },
  };
}

/** What binds this principal. */
export function limitsOf({ perPrincipal, maxTtlMs, local }: LimitSettings, principal: string): LimitSettings['local'] {
  return principal === LOCAL ? local : { ...perPrincipal, maxTtlMs };
}

function toFields(name: string, value: unknown, expected: readonly string[]): Record<string, unknown> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  const strange = isObject ? Object.keys(value).find((field) => !expected.includes(field)) : undefined;
  // A limit that was misspelt would not be there, and nobody would notice.
  if (isObject && strange === undefined) return value as Record<string, unknown>;
  const text = strange === undefined ? toValueText(value) : `given a field ${toValueText(strange)}`;
  throw new TaskError('INVALID_ARGUMENT', `${name} is ${text}; expected an object of ${expected.join(', ')}`);
}

function parseNumber(field: string, value: unknown, least: number): number {
  const isWhole = Number.isInteger(value) || value === Infinity;
  if (isWhole && (value as number) >= least) return toKeepable(value as number);
  throw new TaskError(
    'INVALID_ARGUMENT',
    `${field} is ${toValueText(value)}; expected a whole number from ${least} up, or Infinity`,
  );
}
