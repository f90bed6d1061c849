import { z } from 'zod';
import type { JsonObject } from '../../dialects/host-port.ts';
import { isObject } from '../../is-object.ts';
import { onlyFields, text, value } from '../../options/option-schemas.ts';
import { type OptionsShape, optionsParser } from '../../options/options-parser.ts';

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
  /**
   * What you know the call by. The same key gives the call there is, pending or ended, until it is acknowledged and forgotten
   * (`keepMs`); with another server, tool or arguments it is refused with `IDEMPOTENCY_CONFLICT`. So a program that was
   * restarted makes the calls it made before, and gets those.
   */
  readonly key?: string;
  /**
   * Whether the call may be sent again when the connection broke before its answer and nobody can tell what became of it.
   * `never` makes it `interrupted`; `idempotent` says that doing it twice does no harm, whatever its server says.
   *
   * @default what the spec of the server says, else only tools that it marks both idempotent and read-only
   */
  readonly repeat?: 'never' | 'idempotent';
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

/** Checks a call before anything is written; a complaint names the field, its value and what is expected. */
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
