import { z } from 'zod';
import { isObject } from '../../is-object.ts';
import type { Json } from '../../task/json.ts';
import { isStandard } from './standard-schema.ts';

/** The side of a schema: the values that it accepts, or those that it produces. */
type Side = 'input' | 'output';

/** Returns a schema as JSON Schema of type object; throws an error that says why that is impossible, and what to use instead. */
export function toJsonSchema(schema: unknown, side: Side): Json {
  const refusal = findRefusal(schema);
  if (refusal !== undefined) throw new Error(refusal);
  const json = isLibrarySchema(schema) ? fromLibrary(schema, side) : schema;
  if (isObject(json) && json.type === 'object') return json as Json;
  throw new Error("it is not of type object; expected z.object({ … }) or a JSON Schema with type: 'object'");
}

/** Whether a schema is a library's, and not JSON Schema. */
export function isLibrarySchema(schema: unknown): schema is object {
  return isZod(schema) || isStandard(schema);
}

export function isZod(schema: unknown): schema is z.ZodType {
  return isObject(schema) && '_zod' in schema;
}

/** Returns why a schema is refused: zod 3 and raw shapes, which other SDKs accept, would be mistaken for JSON Schema here. */
function findRefusal(schema: unknown): string | undefined {
  if (isZod(schema)) return undefined;
  const remedy = "use zod 4 (npm install zod@4, or import from 'zod/v4' with zod 3.25)";
  if (isZod3(schema)) return `this is a zod 3 schema: ${remedy}`;
  if (!isObject(schema) || isStandard(schema)) return undefined;
  const fields = Object.values(schema);
  if (fields.length === 0 || !fields.every((field) => isZod(field) || isZod3(field))) return undefined;
  if (fields.some(isZod3))
    return `this is a raw shape of zod 3 schemas: ${remedy}, and put z.object( ) around the shape`;
  return `this is a raw shape of zod schemas: put z.object( ) around it: z.object({ ${Object.keys(schema).join(', ')} })`;
}

function isZod3(schema: unknown): boolean {
  if (!isObject(schema) || '_zod' in schema || !isObject(schema._def)) return false;
  return typeof schema._def.typeName === 'string' && schema._def.typeName.startsWith('Zod');
}

interface Converter {
  readonly jsonSchema?: Record<Side, (options: { readonly target: 'draft-2020-12' }) => unknown>;
}

/** Lets a schema's own library convert it: it may be another version than the one that is loaded here. */
function fromLibrary(schema: object, side: Side): unknown {
  const { vendor, jsonSchema } = isStandard(schema) ? (schema['~standard'] as { vendor: string } & Converter) : {};
  if (jsonSchema !== undefined) return jsonSchema[side]({ target: 'draft-2020-12' });
  if (isZod(schema)) return z.toJSONSchema(schema, { io: side, metadata: descriptions });
  throw new Error(
    `this is a schema of ${vendor} that gives no JSON Schema; expected zod 4, one that does, or JSON Schema`,
  );
}

/** Texts given to schemas with `describe` and `meta`: another copy of zod keeps them in a registry of its own. */
const descriptions = {
  get: (schema: z.ZodType) => z.globalRegistry.get(schema) ?? schema.meta?.(),
  has: (schema: z.ZodType) => z.globalRegistry.has(schema),
} as typeof z.globalRegistry;
