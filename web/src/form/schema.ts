/** Converts a JSON Schema into form fields, and checks their values. */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

export type FieldKind = 'text' | 'number' | 'whole' | 'flag' | 'choice' | 'choices' | 'texts' | 'json';

export interface Field {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly kind: FieldKind;
  readonly isRequired: boolean;
  readonly isSecret: boolean;
  readonly isLong: boolean;
  readonly options: readonly { readonly value: Json; readonly label: string }[];
  readonly byDefault: Json | undefined;
}

/** The fields of an object schema; types that a form cannot show become JSON fields. */
export function toFields(schema: unknown, secrets: readonly string[] = []): readonly Field[] {
  const { properties, required } = asObject(schema);
  const wanted = Array.isArray(required) ? required : [];
  return Object.entries(asObject(properties)).map(([name, value]) => {
    const part = asObject(value);
    const kind = toKind(part);
    const isSecret = secrets.includes(name) || part.format === 'password' || part.writeOnly === true;
    const description = asText(part.description);
    return {
      name,
      title: asText(part.title) || name,
      description,
      kind,
      isRequired: wanted.includes(name),
      isSecret,
      isLong: kind === 'text' && Number(part.maxLength ?? 0) > 200,
      options: toOptions(kind === 'choices' ? asObject(part.items) : part),
      byDefault: part.default as Json | undefined,
    };
  });
}

function toKind(part: JsonObject): FieldKind {
  if (hasOptions(part)) return 'choice';
  switch (part.type) {
    case 'string':
      return 'text';
    case 'number':
      return 'number';
    case 'integer':
      return 'whole';
    case 'boolean':
      return 'flag';
    case 'array':
      return toListKind(asObject(part.items));
    default:
      return 'json';
  }
}

function toListKind(items: JsonObject): FieldKind {
  if (hasOptions(items)) return 'choices';
  return items.type === 'string' ? 'texts' : 'json';
}

function hasOptions(part: JsonObject): boolean {
  return toOptions(part).length > 0;
}

function toOptions(part: JsonObject): Field['options'] {
  if (Array.isArray(part.enum)) {
    const names = Array.isArray(part.enumNames) ? part.enumNames : [];
    return part.enum.map((value: Json, at: number) => ({ value, label: asText(names[at]) || toLabel(value) }));
  }
  const listed = [part.oneOf, part.anyOf].find(
    (list) => Array.isArray(list) && list.every((one) => 'const' in asObject(one)),
  );
  if (!Array.isArray(listed)) return [];
  return listed.map((one) => {
    const { const: value = null, title } = asObject(one);
    return { value, label: asText(title) || toLabel(value) };
  });
}

/** The initial values of a form: the defaults of its fields. */
export function toDefaults(fields: readonly Field[]): JsonObject {
  const given = fields.flatMap(({ name, byDefault, kind, isRequired }) => {
    if (byDefault !== undefined) return [[name, byDefault] as const];
    return kind === 'flag' && isRequired ? [[name, false] as const] : [];
  });
  return Object.fromEntries(given);
}

export type FieldFault = 'fieldRequired' | 'fieldNumber' | 'fieldWhole' | 'fieldJson';

/** What is wrong with a field's value, if anything. */
function findFault({ kind, isRequired }: Field, value: Json | undefined): FieldFault | undefined {
  if (value === undefined || value === '')
    return isRequired && kind !== 'text' ? 'fieldRequired' : toMissing(isRequired, value);
  if ((kind === 'number' || kind === 'whole') && typeof value !== 'number') return 'fieldNumber';
  if (kind === 'whole' && !Number.isInteger(value)) return 'fieldWhole';
  return undefined;
}

/** An empty string is a valid text; a required text that was never entered is missing. */
function toMissing(isRequired: boolean, value: Json | undefined): FieldFault | undefined {
  return isRequired && value === undefined ? 'fieldRequired' : undefined;
}

/** The faults of all fields, by name. */
export function findFaults(fields: readonly Field[], values: JsonObject): Readonly<Record<string, FieldFault>> {
  const faults = fields.flatMap((field) => {
    const fault = findFault(field, values[field.name]);
    return fault ? [[field.name, fault] as const] : [];
  });
  return Object.fromEntries(faults);
}

export function asObject(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function toLabel(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
