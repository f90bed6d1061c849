import type { CallRecord, JsonObject } from '../../host/index.ts';
import { isObject } from '../../is-object.ts';

// Where specs keep what nobody else may know.
const SECRET_FIELDS = ['env', 'headers'];
const MASK = '******';

/** A call as lists show it: without what its server is started or reached with. */
export function toShownCall(record: CallRecord): CallRecord {
  const { origin } = record;
  if (!isObject(origin) || !isObject(origin.spec)) return record;
  const fields = Object.entries(origin.spec).map(([field, value]) => [
    field,
    SECRET_FIELDS.includes(field) && isObject(value) ? mask(value) : value,
  ]);
  return { ...record, origin: { ...origin, spec: Object.fromEntries(fields) } };
}

/** What only names a variable of the environment says nothing of what it holds. */
function mask(values: JsonObject): JsonObject {
  const isName = (value: unknown) => typeof value === 'string' && /^\$\{\w+\}$/.test(value);
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, isName(value) ? value : MASK]));
}
