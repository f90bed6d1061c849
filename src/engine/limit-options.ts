/**
 * What one principal may use of an engine that several share.
 *
 * The defaults apply to every principal except `local`, which is the owner's own. A limit that the owner sets applies to
 * all.
 */
import type { z } from 'zod';
import { MAX_TTL_MS, PRINCIPAL_LIMITS } from '../limits.ts';
import { onlyFields, wholeOrInfinite } from '../options/option-schemas.ts';
import type { OptionsShape } from '../options/options-parser.ts';
import { LOCAL } from './principal.ts';
import { toStorableNumber } from './storable-number.ts';

/** What one principal may use. */
export interface PrincipalLimitOptions {
  /** Tasks that wait, in the queue or for an answer; protects the queue and the memory of the worker. @default 1000 */
  readonly queued?: number;
  /**
   * Attempts that one worker runs at once; protects the slots from a flood of long tasks. Without it a principal may hold
   * three times as many slots as are free, and never the last one unless it runs nothing: alone it gets 12 of 16.
   *
   * @default by the number of free slots
   */
  readonly running?: number;
  /** Bytes that its tasks may use in the store; protects the disk. Checked when a task is submitted. @default 268_435_456 */
  readonly storedBytes?: number;
  /** Sessions that it may have open over HTTP; protects the memory of the server. @default 100 */
  readonly sessions?: number;
  /** Subscriptions and streams that it may have open; limits memory and the cost of every change. @default 100 */
  readonly subscriptions?: number;
}

/** What callers may use of the store and the workers. */
export interface LimitOptions {
  readonly perPrincipal?: PrincipalLimitOptions;
  /**
   * The longest TTL that a call can ask for; protects the disk. A call that asks for more gets this, and is informed. A
   * tool's own `ttlMs` is the owner's choice, and a call may always ask for that.
   *
   * @default 604_800_000 (a week)
   */
  readonly maxTtlMs?: number;
}

/** The limits of one principal. */
export interface PrincipalLimits {
  readonly queued: number;
  /** If absent, the limit depends on the number of free slots. */
  readonly running: number | undefined;
  readonly storedBytes: number;
  readonly sessions: number;
  readonly subscriptions: number;
}

export interface LimitSettings {
  /** For every principal except the owner's (`local`). */
  readonly perPrincipal: PrincipalLimits;
  readonly maxTtlMs: number;
  /** For `local`: the limits that the owner has set, and no others. */
  readonly local: PrincipalLimits & { readonly maxTtlMs: number };
}

const UNLIMITED = {
  queued: Infinity,
  running: Infinity,
  storedBytes: Infinity,
  sessions: Infinity,
  subscriptions: Infinity,
};

/** Returns the schema of the limits; a misspelt field is refused. */
export function limitsSchema() {
  const perPrincipal = {
    queued: limit(1).optional(),
    running: limit(1).optional(),
    storedBytes: limit(1).optional(),
    sessions: limit(1).optional(),
    subscriptions: limit(1).optional(),
  } satisfies OptionsShape<PrincipalLimitOptions>;
  return limitFields({
    perPrincipal: limitFields(perPrincipal).optional(),
    maxTtlMs: limit(0).optional(),
  } satisfies OptionsShape<LimitOptions>);
}

/** Fills in the defaults of limits that were checked. */
export function toLimitSettings({ perPrincipal = {}, maxTtlMs }: ParsedLimits = {}): LimitSettings {
  const own = Object.fromEntries(Object.entries(perPrincipal).filter(([, value]) => value !== undefined));
  return {
    perPrincipal: { ...PRINCIPAL_LIMITS, running: undefined, ...own },
    maxTtlMs: maxTtlMs ?? MAX_TTL_MS,
    local: { ...UNLIMITED, ...own, maxTtlMs: maxTtlMs ?? Infinity },
  };
}

type ParsedLimits = z.output<ReturnType<typeof limitsSchema>>;

/** Returns the limits of this principal. */
export function limitsOf({ perPrincipal, maxTtlMs, local }: LimitSettings, principal: string): LimitSettings['local'] {
  return principal === LOCAL ? local : { ...perPrincipal, maxTtlMs };
}

function limitFields<Fields extends z.core.$ZodShape>(fields: Fields) {
  return onlyFields(fields, `an object of ${Object.keys(fields).join(', ')}`);
}

function limit(least: number) {
  return wholeOrInfinite(least, `a whole number from ${least} up, or Infinity`).transform(toStorableNumber);
}
