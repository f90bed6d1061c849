/**
 * A frozen copy of a JSON value.
 *
 * Everything the store receives is copied here, so a caller that changes its object later does not change the record, and
 * values returned by the store cannot be changed either.
 */
export function toFrozen<T>(value: T): T {
  return value === undefined ? value : freezeDeep(JSON.parse(JSON.stringify(value)) as T);
}

/** A frozen copy of a record with these changes; fields set to `undefined` are removed. */
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
