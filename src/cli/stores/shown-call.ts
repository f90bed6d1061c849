import type { CallRecord, JsonObject } from '../../host/index.ts';
import { isObject } from '../../is-object.ts';

// The fields of a spec that may hold secrets.
const SECRET_FIELDS = ['env', 'headers'];
const MASK = '******';

/** A call as lists show it, with the values of its server's `env` and `headers` masked. */
export function toShownCall(record: CallRecord): CallRecord {
  const { origin } = record;
  if (!isObject(origin) || !isObject(origin.spec)) return record;
  const fields = Object.entries(origin.spec).map(([field, value]) => [
    field,
    SECRET_FIELDS.includes(field) && isObject(value) ? mask(value) : value,
  ]);
  return { ...record, origin: { ...origin, spec: Object.fromEntries(fields) } };
}

/** A value that is only a `${NAME}` reference reveals nothing, so it is not masked. */
function mask(values: JsonObject): JsonObject {
  const isName = (value: unknown) => typeof value === 'string' && /^\$\{\w+\}$/.test(value);
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, isName(value) ? value : MASK]));
}
