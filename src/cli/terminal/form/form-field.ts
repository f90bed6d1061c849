/**
 * Converts a JSON Schema from a server into a form for the person at the terminal.
 *
 * Objects are asked for field by field; scalars, choices and lists of them on one line. Everything else (lists of objects,
 * alternatives, deep nesting) is asked for as JSON.
 */
import { isSecretField } from '../../../codec/secret-field.ts';
import { isObject } from '../../../is-object.ts';
import type { Json } from '../../../task/json.ts';

type Schema = Readonly<Record<string, unknown>>;

/** One of several values, with a title if it has one. */
export interface Choice {
  readonly value: Json;
  readonly title?: string;
}

/** A value that fits on one line. */
export type Scalar =
  | { readonly kind: 'text' | 'number' | 'integer' | 'boolean'; readonly limits: Schema }
  | { readonly kind: 'choice'; readonly choices: readonly Choice[] };

export type Shape =
  | Scalar
  | { readonly kind: 'list'; readonly of: Scalar; readonly limits: Schema }
  | { readonly kind: 'group'; readonly fields: readonly FormField[] }
  /** Asked for as JSON; `example` shows its structure. */
  | { readonly kind: 'json'; readonly example: Json };

export interface FormField {
  readonly key: string;
  /** The field's name, prefixed with the names of the objects that contain it. */
  readonly label: string;
  readonly shape: Shape;
  readonly isRequired: boolean;
  readonly isSecret: boolean;
  /** Whether null is allowed; for a required field, an empty line means null. */
  readonly isNullable: boolean;
  readonly byDefault?: Json;
}

// Deeper nesting is easier to write as JSON than to be asked for.
const MAX_DEPTH = 4;
const MAX_FIELDS = 100;
const MAX_EXAMPLE_DEPTH = 6;

/** Converts a whole schema into a form. */
export function toForm(schema: unknown): FormField {
  const root = isObject(schema) ? schema : {};
  const shape = toGroup(root, { root, path: [] }) ?? { kind: 'json', example: toExampleOf(root) };
  return { key: '', label: 'answer', shape, isRequired: true, isSecret: false, isNullable: false };
}

/** An example value that conforms to the schema, for the user to overwrite. */
export function toExampleOf(schema: unknown): Json {
  return toExample(schema, isObject(schema) ? schema : {});
}

interface Place {
  /** The schema in which references are resolved. */
  readonly root: Schema;
  readonly path: readonly string[];
}

function toField(key: string, given: unknown, place: Place & { readonly required: unknown }): FormField {
  const { schema, isNullable } = resolve(given, place.root);
  const name = typeof schema.title === 'string' && schema.title.trim() !== '' ? schema.title : key;
  const path = [...place.path, name];
  return {
    key,
    label: path.join('.'),
    shape: toShape(schema, { root: place.root, path }),
    isRequired: Array.isArray(place.required) && place.required.includes(key),
    isSecret: isSecretField(key, schema),
    isNullable,
    ...(schema.default !== undefined && { byDefault: schema.default as Json }),
  };
}

function toShape(schema: Schema, place: Place): Shape {
  const scalar = toScalar(schema);
  if (scalar) return scalar;
  if (schema.type === 'array') {
    const of = toScalar(resolve(schema.items, place.root).schema);
    if (of) return { kind: 'list', of, limits: schema };
  }
  return toGroup(schema, place) ?? { kind: 'json', example: toExample(schema, place.root) };
}

function toScalar(schema: Schema): Scalar | undefined {
  const choices = toChoices(schema);
  if (choices) return { kind: 'choice', choices };
  switch (schema.type) {
    case 'boolean':
    case 'number':
    case 'integer':
      return { kind: schema.type, limits: schema };
    case 'string':
      return { kind: 'text', limits: schema };
    default:
      return undefined;
  }
}

function toGroup(schema: Schema, { root, path }: Place): Shape | undefined {
  const { properties, required } = schema;
  const names = isObject(properties) ? Object.keys(properties) : [];
  const isPlain = schema.type === 'object' && !['oneOf', 'anyOf', 'allOf', 'if'].some((word) => word in schema);
  // An object without named properties can have any; only the user knows which.
  if (!isPlain || (names.length === 0 && path.length > 0)) return undefined;
  if (path.length > MAX_DEPTH || names.length > MAX_FIELDS) return undefined;
  const fields = names.map((key) => toField(key, (properties as Schema)[key], { root, path, required }));
  return { kind: 'group', fields };
}

/** Resolves references within the same schema, and removes null from the alternatives. */
function resolve(given: unknown, root: Schema): { readonly schema: Schema; readonly isNullable: boolean } {
  let schema = isObject(given) ? given : {};
  for (let hops = 0; typeof schema.$ref === 'string' && hops < MAX_DEPTH; hops += 1) {
    schema = followReference(schema.$ref, root) ?? {};
  }
  if (Array.isArray(schema.type) && schema.type.length === 2 && schema.type.includes('null')) {
    return { schema: { ...schema, type: schema.type.find((type) => type !== 'null') }, isNullable: true };
  }
  const ways = Array.isArray(schema.anyOf) ? schema.anyOf : [];
  const others = ways.filter((way) => !isObject(way) || way.type !== 'null');
  if (ways.length !== 2 || others.length !== 1 || !isObject(others[0])) return { schema, isNullable: false };
  const { anyOf, ...rest } = schema;
  return { schema: { ...rest, ...others[0] }, isNullable: true };
}

function followReference(ref: string, root: Schema): Schema | undefined {
  const [, section = '', name = ''] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(ref) ?? [];
  const all = root[section];
  const found = isObject(all) && Object.hasOwn(all, name) ? all[name] : undefined;
  return isObject(found) ? found : undefined;
}

/** The values of an enumeration, in any of the forms that JSON Schema and MCP have for one. */
function toChoices({ enum: values, enumNames, oneOf, anyOf, ...rest }: Schema): readonly Choice[] | undefined {
  if (Array.isArray(values)) {
    const names = Array.isArray(enumNames) ? enumNames : [];
    return values.map((value, at) => toChoice(value as Json, names[at]));
  }
  if ('const' in rest) return [toChoice(rest.const as Json, undefined)];
  const ways: unknown = oneOf ?? anyOf;
  if (!Array.isArray(ways) || ways.length === 0) return undefined;
  const named = ways.flatMap((way) => (isObject(way) && 'const' in way ? [way] : []));
  return named.length === ways.length
    ? named.map(({ const: value, title }) => toChoice(value as Json, title))
    : undefined;
}

function toChoice(value: Json, title: unknown): Choice {
  return typeof title === 'string' && title !== value ? { value, title } : { value };
}

function toExample(given: unknown, root: Schema, depth = 0): Json {
  const { schema } = resolve(given, root);
  if (schema.default !== undefined) return schema.default as Json;
  const choices = toChoices(schema);
  if (choices) return choices[0]?.value ?? null;
  if (depth >= MAX_EXAMPLE_DEPTH) return null;
  const { properties, items, anyOf, oneOf } = schema;
  if (isObject(properties)) {
    const entries = Object.entries(properties).slice(0, MAX_FIELDS);
    return Object.fromEntries(entries.map(([key, one]) => [key, toExample(one, root, depth + 1)]));
  }
  if (schema.type === 'array') return [toExample(items, root, depth + 1)];
  const [first] = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : [];
  if (first !== undefined) return toExample(first, root, depth + 1);
  return EXAMPLES[String(schema.type)] ?? null;
}

const EXAMPLES: Readonly<Record<string, Json>> = { string: '', number: 0, integer: 0, boolean: false, object: {} };
