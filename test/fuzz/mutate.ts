import { isObject } from './peer.ts';

export type Path = readonly string[];

/** Every place inside a value, the value itself left out. */
export function listPaths(value: unknown, at: Path = []): Path[] {
  const here = at.length > 0 ? [at] : [];
  if (value === null || typeof value !== 'object') return here;
  return [...here, ...Object.entries(value).flatMap(([key, inner]) => listPaths(inner, [...at, key]))];
}

/** A copy with another value at one place; undefined takes it away. What cannot be gone into stays as it is. */
export function put(value: unknown, [key, ...rest]: Path, replacement: unknown): unknown {
  if (key === undefined) return replacement;
  if (!isObject(value) && !Array.isArray(value)) return value;
  const entries = Object.entries(value).map(([name, inner]) => [
    name,
    name === key ? put(inner, rest, replacement) : inner,
  ]);
  if (rest.length === 0 && !Object.hasOwn(value, key)) entries.push([key, replacement]);
  const kept = entries.filter(([, inner]) => inner !== undefined);
  return Array.isArray(value) ? kept.map(([, inner]) => inner) : Object.fromEntries(kept);
}
