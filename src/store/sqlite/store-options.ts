/**
 * The options of a SQLite store.
 *
 * Checked by hand instead of by a schema: otherwise code that only reads a store, such as a command, would load zod for it.
 */
import type { Clock } from '../../clock.ts';
import { invalidField, refuseUnknownFields } from '../../invalid-field.ts';

/** Which SQLite file a store uses, and how. */
export interface SqliteStoreOptions {
  /** The database file. Several processes may open the same one; it must be on a local disk. */
  readonly path?: string;
  /** Instead of a path: the name of the server whose store in the user's state directory is opened. */
  readonly name?: string;
  /** `normal` may lose the last commits when the machine (not the process) crashes. @default 'full' */
  readonly synchronous?: 'full' | 'normal';
  /** @default false */
  readonly readOnly?: boolean;
  /** Whether a missing database is created. @default true */
  readonly create?: boolean;
  /** How long a write waits for other processes. @default 10_000 */
  readonly lockWaitMs?: number;
  /** @default the machine's clock */
  readonly clock?: Clock;
  /** Receives errors of background work that no caller awaits. @default a warning of the process */
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

/** Rejects invalid options before a file is created or opened. */
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
