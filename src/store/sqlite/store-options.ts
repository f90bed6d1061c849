/**
 * The options of a SQLite store.
 *
 * They are checked by hand and not by a schema: whoever only reads a store, such as a command, would load zod for it.
 */
import type { Clock } from '../../clock.ts';
import { invalidField, refuseUnknownFields } from '../../invalid-field.ts';

/** Which SQLite file a store is, and how it is used. */
export interface SqliteStoreOptions {
  /** The database file. Several processes may open the same one; it must lie on a local disk. */
  readonly path?: string;
  /** Instead of a path: whose store it is, in the user's state directory. */
  readonly name?: string;
  /** `normal` may lose the last commits when the machine (not the process) dies. @default 'full' */
  readonly synchronous?: 'full' | 'normal';
  /** @default false */
  readonly readOnly?: boolean;
  /** Whether a missing database is made. @default true */
  readonly create?: boolean;
  /** How long a write waits for other processes. @default 10_000 */
  readonly lockWaitMs?: number;
  /** @default the machine's clock */
  readonly clock?: Clock;
  /** What becomes of a failure nobody waits for. @default a warning of the process */
  readonly onError?: (error: unknown) => void;
}

type Rule = readonly [expected: string, isValid: (value: unknown) => boolean];

const FLAG: Rule = ['true or false', (value) => typeof value === 'boolean'];

const RULES: Readonly<Record<keyof SqliteStoreOptions, Rule>> = {
  path: ['a path', isText],
  name: ['a non-empty text', isText],
  synchronous: ["'full' or 'normal'", (value) => value === 'full' || value === 'normal'],
  readOnly: FLAG,
  create: FLAG,
  lockWaitMs: ['a number from 0 up', (value) => typeof value === 'number' && value >= 0],
  clock: ['a clock', (value) => typeof (value as Partial<Clock> | null)?.after === 'function'],
  onError: ['a function', (value) => typeof value === 'function'],
};

/** Refuses what cannot be used, before a file is made or opened. */
export function checkStoreOptions(options: SqliteStoreOptions): void {
  refuseUnknownFields(options, RULES);
  for (const [field, [expected, isValid]] of Object.entries(RULES)) {
    const value = options[field as keyof SqliteStoreOptions];
    if (value !== undefined && !isValid(value)) throw invalidField(field, value, expected);
  }
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}
