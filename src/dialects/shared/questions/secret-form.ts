/**
 * How forms mark secret fields on the wire.
 *
 * SDKs of the older era reject a text with `format: "password"` and drop keywords they do not know. So a secret field
 * is sent as `writeOnly`, with its name in `_meta`, which those SDKs preserve.
 */

import { findSecretFields } from '../../../codec/secret-fields.ts';
import { isObject } from '../../../is-object.ts';
import type { Json } from '../../../task/json.ts';

/** The `_meta` key of a question's secret field names. */
export const SECRET_META = 'holdfast/secret';

type Members = { readonly [key: string]: Json };

/** Returns the form as it is sent, and the names of its secret fields. */
export function toWireForm(schema: Json): { readonly requestedSchema: Json; readonly secrets: readonly string[] } {
  const fields = readFields(schema);
  const secrets = Object.keys(fields).filter((name) => isSecret(schema, name));
  return { requestedSchema: secrets.length === 0 ? schema : mapFields(schema, secrets, toPlainFormat), secrets };
}

/** Returns the parameters of a question with its secret fields marked in the schema, even if an SDK dropped the marks. */
export function withSecretMarks(params: Members): Members {
  const names = (params._meta as Members | undefined)?.[SECRET_META];
  if (!Array.isArray(names) || params.requestedSchema === undefined) return params;
  const requestedSchema = mapFields(params.requestedSchema, names, (field) => ({ ...field, writeOnly: true }));
  return { ...params, requestedSchema };
}

function isSecret(schema: Json, name: string): boolean {
  const tree = findSecretFields(schema, { [name]: '' });
  return tree === true || tree?.get(name) === true;
}

function toPlainFormat({ format, ...field }: Members): Members {
  return { ...field, ...(format !== undefined && format !== 'password' && { format }), writeOnly: true };
}

function mapFields(schema: Json, names: readonly Json[], map: (field: Members) => Members): Json {
  const wanted = new Set(names);
  const fields = Object.entries(readFields(schema)).map(([name, field]) => [
    name,
    wanted.has(name) && isObject(field) ? map(field) : field,
  ]);
  return { ...(schema as Members), properties: Object.fromEntries(fields) };
}

function readFields(schema: Json): Members {
  const { properties } = isObject(schema) ? schema : {};
  return isObject(properties) ? properties : {};
}
