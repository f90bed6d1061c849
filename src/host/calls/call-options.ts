import type { JsonObject } from '../../dialects/host-port.ts';
import { invalidField } from '../../invalid-field.ts';
import { isObject } from '../../is-object.ts';

/** How one call is made and waited for. */
export interface CallOptions {
  /** Stops the work and the waiting. */
  readonly signal?: AbortSignal;
  /** Groups calls; any session can list and await them. */
  readonly sessionId?: string;
  /**
   * The longest wait, also for a server that is away; the work may go on after it. Without it, a call to a server that never
   * comes back never ends.
   *
   * @default no limit
   */
  readonly maxWaitMs?: number;
  /** Goes along in `_meta`. */
  readonly meta?: JsonObject;
  /**
   * Where the server's spec came from, in your own words. It is kept with the call for whoever takes it up after a restart;
   * nothing here reads it. The ledger is a file that only its owner can read, but without a codec it is in clear.
   */
  readonly origin?: JsonObject;
  /** Whether reading the outcome acknowledges it. @default 'manual' */
  readonly ack?: 'manual' | 'auto';
}

/** Checks a call before anything is written; a complaint names the field, its value and what is expected. */
export function checkCall(tool: unknown, args: unknown, options: unknown): void {
  check('tool', tool, TEXT);
  check('args', args, JSON_OBJECT);
  check('options', options, { expected: 'an object', isValid: isObject });
  const given = options as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(given).find((field) => !(field in FIELDS));
  if (unknown !== undefined) throw invalidField('options', unknown, `the fields ${Object.keys(FIELDS).join(', ')}`);
  for (const [field, rule] of Object.entries(FIELDS)) {
    if (given[field] !== undefined) check(`options.${field}`, given[field], rule);
  }
}

interface Rule {
  readonly expected: string;
  isValid(value: unknown): boolean;
}

const TEXT: Rule = { expected: 'a non-empty text', isValid: (value) => typeof value === 'string' && value !== '' };
const JSON_OBJECT: Rule = {
  expected: 'an object that JSON can carry',
  isValid: (value) => isObject(value) && isJson(value),
};

const FIELDS: Readonly<Record<string, Rule>> = {
  signal: { expected: 'an AbortSignal', isValid: (value) => value instanceof AbortSignal },
  sessionId: TEXT,
  maxWaitMs: { expected: 'a number from 0 up', isValid: (value) => Number.isFinite(value) && (value as number) >= 0 },
  meta: JSON_OBJECT,
  origin: JSON_OBJECT,
  ack: { expected: '"manual" or "auto"', isValid: (value) => value === 'manual' || value === 'auto' },
};

function check(field: string, value: unknown, { isValid, expected }: Rule): void {
  if (!isValid(value)) throw invalidField(field, value, expected);
}

function isJson(value: unknown): boolean {
  try {
    JSON.stringify(value);
    return true;
  } catch {
    return false;
  }
}
