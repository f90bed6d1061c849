import { z } from 'zod';
import type { JsonObject } from '../dialects/host-port.ts';
import { isObject } from '../is-object.ts';
import { onlyFields, text, value } from '../options/option-schemas.ts';
import { type OptionsShape, optionsParser } from '../options/options-parser.ts';

/** How one request is sent. */
export interface RequestOptions {
  /** Stops the waiting; the server is told that nobody needs the answer. */
  readonly signal?: AbortSignal;
}

const parseRequest = optionsParser(() => {
  const options = onlyFields({
    signal: value<AbortSignal>('an AbortSignal', (signal) => signal instanceof AbortSignal).optional(),
  } satisfies OptionsShape<RequestOptions>);
  return z.object({ method: text(), params: value<JsonObject>('an object', isObject), options });
});

/** Checks a request before anything is sent; a complaint names the field, its value and what is expected. */
export function checkRequest(method: unknown, params: unknown, options: unknown): void {
  parseRequest({ method, params, options });
}
