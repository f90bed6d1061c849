import { createHash } from 'node:crypto';
import { isObject } from '../is-object.ts';

/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Serialises with sorted keys, so that equal values have equal texts. */
export function toCanonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (!isObject(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
  });
}

/** Returns a short fingerprint of a JSON value that does not depend on key order. */
export function toFingerprint(value: unknown): string {
  return createHash('sha256')
    .update(toCanonicalJson(value) ?? 'undefined')
    .digest('base64url');
}
