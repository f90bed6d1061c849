/**
 * What one principal may take of an engine that several share.
 *
 * The defaults bind every principal but `local`, which is the owner's own. A limit that the owner sets binds all.
 */
import type { z } from 'zod';
import { MAX_TTL_MS, PRINCIPAL_LIMITS } from '../limits.ts';
import { onlyFields, wholeOrInfinite } from '../options/option-schemas.ts';
import type { OptionsShape } from '../options/options-parser.ts';
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

/** What limits look like; a field that is misspelt is refused. */
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

/** What binds this principal. */
export function limitsOf({ perPrincipal, maxTtlMs, local }: LimitSettings, principal: string): LimitSettings['local'] {
  return principal === LOCAL ? local : { ...perPrincipal, maxTtlMs };
}

function limitFields<Fields extends z.core.$ZodShape>(fields: Fields) {
  return onlyFields(fields, `an object of ${Object.keys(fields).join(', ')}`);
}

function limit(least: number) {
  return wholeOrInfinite(least, `a whole number from ${least} up, or Infinity`).transform(toKeepable);
}
