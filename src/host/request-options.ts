import { z } from 'zod';
import type { JsonObject } from '../dialects/host-port.ts';
import { isObject } from '../is-object.ts';
import { onlyFields, text, value } from '../options/option-schemas.ts';
import { type OptionsShape, optionsParser } from '../options/options-parser.ts';

/** Options of one request. */
export interface RequestOptions {
  /** Stops waiting; the server is notified that the response is not needed. */
  readonly signal?: AbortSignal;
}

const parseRequest = optionsParser(() => {
  const options = onlyFields({
    signal: value<AbortSignal>('an AbortSignal', (signal) => signal instanceof AbortSignal).optional(),
  } satisfies OptionsShape<RequestOptions>);
  return z.object({ method: text(), params: value<JsonObject>('an object', isObject), options });
});

/** Checks a request before anything is sent; the error names the field, its value and what is expected. */
export function checkRequest(method: unknown, params: unknown, options: unknown): void {
  parseRequest({ method, params, options });
}
