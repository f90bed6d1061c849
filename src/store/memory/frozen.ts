/**
 * A frozen copy of a JSON value.
 *
 * The store takes everything in through here, so a caller that goes on changing its object does not change the
 * record, and what the store hands out cannot be changed either.
 */
export function toFrozen<T>(value: T): T {
  return value === undefined ? value : freezeDeep(JSON.parse(JSON.stringify(value)) as T);
}

/** A frozen record with these changes; a field set to `undefined` is left out. */
export function toChanged<T extends object>(record: T, change: Changed<T>): T {
  const merged = Object.entries({ ...record, ...change }).filter(([, value]) => value !== undefined);
  return Object.freeze(Object.fromEntries(merged)) as T;
}

export type Changed<T> = { readonly [K in keyof T]?: T[K] | undefined };

function freezeDeep<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const part of Object.values(value)) freezeDeep(part);
  return Object.freeze(value);
}
