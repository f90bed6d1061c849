import type { Json } from '../../task/json.ts';

/** Whether a value is an object with named members, and no list. */
export function isObject(value: unknown): value is { readonly [key: string]: Json } {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
