import { z } from 'zod';
import type { JsonObject } from '../../dialects/host-port.ts';
import { isObject } from '../../is-object.ts';
import { onlyFields, text, value } from '../../options/option-schemas.ts';
import { type OptionsShape, optionsParser } from '../../options/options-parser.ts';

/** Options of one call. */
export interface CallOptions {
  /** Cancels the work and stops waiting. */
  readonly signal?: AbortSignal;
  /** Groups calls; any session can list and await them. */
  readonly sessionId?: string;
  /**
   * Timeout of the call in milliseconds, which includes waiting for an unreachable server; the work may go on after it. Without
   * it, a call to a server that never comes back never ends.
   *
   * @default no limit
   */
  readonly maxWaitMs?: number;
  /**
   * Your idempotency key. The same key returns the existing call, pending or ended, until it is acknowledged and removed
   * (`keepMs`); with another server, tool or arguments it is refused with `IDEMPOTENCY_CONFLICT`. So a program can repeat its
   * calls after a restart and gets the existing ones.
   */
  readonly key?: string;
  /**
   * Whether the call may be sent again when the connection broke before its response and its outcome is unknown. `never` makes it
   * `interrupted`; `idempotent` says that running it twice does no harm, whatever its server declares.
   *
   * @default what the spec of the server says, else only tools that it marks both idempotent and read-only
   */
  readonly repeat?: 'never' | 'idempotent';
  /** Sent in the request's `_meta`. */
  readonly meta?: JsonObject;
  /**
   * Where the server's spec came from, in your own format. It is stored with the call for the program that resumes it after a
   * restart; Holdfast does not read it. The ledger is a file that only its owner can read, but without a codec this field is
   * stored in clear.
   */
  readonly origin?: JsonObject;
  /** Whether reading the outcome acknowledges it. @default 'manual' */
  readonly ack?: 'manual' | 'auto';
}

const parseCall = optionsParser(() => {
  const jsonObject = () =>
    value<JsonObject>('an object that JSON can carry', (given) => isObject(given) && isJson(given));
  const options = onlyFields({
    signal: value<AbortSignal>('an AbortSignal', (signal) => signal instanceof AbortSignal).optional(),
    sessionId: text().optional(),
    key: text().optional(),
    repeat: z.enum(['never', 'idempotent'], '"never" or "idempotent"').optional(),
    maxWaitMs: value<number>('a number from 0 up', isWait).optional(),
    meta: jsonObject().optional(),
    origin: jsonObject().optional(),
    ack: z.enum(['manual', 'auto'], '"manual" or "auto"').optional(),
  } satisfies OptionsShape<CallOptions>);
  return z.object({ tool: text(), args: jsonObject(), options });
});

/** Checks a call before anything is written; the error names the field, its value and what is expected. */
export function checkCall(tool: unknown, args: unknown, options: unknown): void {
  parseCall({ tool, args, options });
}

function isWait(ms: unknown): boolean {
  return Number.isFinite(ms) && (ms as number) >= 0;
}

function isJson(value: unknown): boolean {
  try {
    JSON.stringify(value);
    return true;
  } catch {
    return false;
  }
}
