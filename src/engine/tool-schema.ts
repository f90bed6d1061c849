import { createRequire } from 'node:module';
import { z } from 'zod';
import { TaskError } from '../errors.ts';
import { isObject } from '../is-object.ts';
import type { Json } from '../task/json.ts';

/** A JSON Schema of type object. */
export interface JsonObjectSchema {
  /** Arguments are by name. */
  readonly type: 'object';
  /** Everything else that JSON Schema 2020-12 knows. */
  readonly [key: string]: unknown;
}

/** A schema as zod or as JSON Schema of type object. */
export type ToolSchema = z.ZodType | JsonObjectSchema;

/** What `run` gets of arguments that fit a schema: with zod what it makes of them, defaults and transforms included. */
export type SchemaOutput<Schema> = Schema extends z.ZodType ? z.output<Schema> : Record<string, Json>;

/** What a schema takes. */
export type SchemaInput<Schema> = Schema extends z.ZodType ? z.input<Schema> : Readonly<Record<string, unknown>>;

/** A schema that is ready for use. */
export interface ParsedSchema {
  /** As JSON Schema. */
  readonly json: Json;
  /** Throws a text that says what does not fit. */
  parse(value: unknown): unknown;
}

/** What a tool takes that says nothing of its input. By hand: the validator of JSON Schema is slow to load. */
export const ANY_OBJECT: ParsedSchema = {
  json: { type: 'object', properties: {} },
  parse(value) {
    if (isObject(value)) return value;
    throw new TaskError('INVALID_ARGUMENT', 'data must be object');
  },
};

const require = createRequire(import.meta.url);

/** Reads the schema of a tool; one that cannot be used is an error of the registration. */
export function parseSchema(tool: string, field: 'input' | 'output', schema: ToolSchema): ParsedSchema {
  try {
    const isZod = '_zod' in schema;
    const json = (isZod ? z.toJSONSchema(schema as z.ZodType, { io: field }) : schema) as Json;
    if ((json as { type?: unknown }).type !== 'object') throw new Error('it is not of type object');
    return { json, parse: isZod ? toZodParser(schema as z.ZodType) : toJsonParser(schema) };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new TaskError('INVALID_ARGUMENT', `tool ${tool}: ${field} cannot be used: ${why}`, { cause });
  }
}

function toZodParser(schema: z.ZodType): (value: unknown) => unknown {
  return (value) => {
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    throw new TaskError('INVALID_ARGUMENT', z.prettifyError(parsed.error));
  };
}

/**
 * The SDK's validator knows all of JSON Schema 2020-12, which zod's reading of it does not. Loaded only for those who
 * need it, and at once: a schema that cannot be used is an error of the registration.
 */
function toJsonParser(schema: ToolSchema): (value: unknown) => unknown {
  const { AjvJsonSchemaValidator } =
    require('@modelcontextprotocol/server/validators/ajv') as typeof import('@modelcontextprotocol/server/validators/ajv');
  const validate = new AjvJsonSchemaValidator().getValidator(schema as never);
  return (value) => {
    const checked = validate(value);
    if (checked.valid) return checked.data;
    throw new TaskError('INVALID_ARGUMENT', checked.errorMessage);
  };
}
