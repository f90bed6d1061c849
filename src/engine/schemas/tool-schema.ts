import { createRequire } from 'node:module';
import { z } from 'zod';
import { TaskError } from '../../errors.ts';
import { isObject } from '../../is-object.ts';
import { ownUrl } from '../../own-url.ts';
import type { Json } from '../../task/json.ts';
import { isLibrarySchema, isZod, toJsonSchema } from './json-schema.ts';
import { type StandardInput, type StandardOutput, type StandardSchema, toIssuesText } from './standard-schema.ts';

/** A JSON Schema of type object. */
export interface JsonObjectSchema {
  /** Arguments are by name. */
  readonly type: 'object';
  /** Everything else that JSON Schema 2020-12 knows. */
  readonly [key: string]: unknown;
}

/**
 * A schema as zod 4, as another library's that knows Standard Schema and gives JSON Schema, or as JSON Schema of type
 * object.
 */
export type ToolSchema = StandardSchema | JsonObjectSchema;

/** What `run` gets of arguments that fit a schema: what it makes of them, defaults and transforms included. */
export type SchemaOutput<Schema> = Schema extends StandardSchema ? StandardOutput<Schema> : Record<string, Json>;

/** What a schema takes. */
export type SchemaInput<Schema> = Schema extends StandardSchema
  ? StandardInput<Schema>
  : Readonly<Record<string, unknown>>;

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

/** Reads the schema of a tool; one that cannot be used is an error of the registration. */
export function parseSchema(tool: string, field: 'input' | 'output', schema: ToolSchema): ParsedSchema {
  try {
    return { json: toJsonSchema(schema, field), parse: toParser(schema) };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new TaskError('INVALID_ARGUMENT', `tool ${tool}: ${field} cannot be used: ${why}`, { cause });
  }
}

function toParser(schema: ToolSchema): (value: unknown) => unknown {
  if (isZod(schema)) return toZodParser(schema);
  return isLibrarySchema(schema) ? toStandardParser(schema as StandardSchema) : toJsonParser(schema);
}

function toStandardParser(schema: StandardSchema): (value: unknown) => unknown {
  return (value) => {
    const checked = schema['~standard'].validate(value);
    if (checked instanceof Promise) {
      throw new TaskError('INVALID_ARGUMENT', 'its schema checks asynchronously; expected one that answers at once');
    }
    if (checked.issues === undefined) return checked.value;
    throw new TaskError('INVALID_ARGUMENT', toIssuesText(checked.issues));
  };
}

function toZodParser(schema: z.ZodType): (value: unknown) => unknown {
  return (value) => {
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    throw new TaskError('INVALID_ARGUMENT', z.prettifyError(parsed.error));
  };
}

function toJsonParser(schema: JsonObjectSchema): (value: unknown) => unknown {
  const check = toJsonCheck(schema);
  return (value) => {
    const why = check(value);
    if (why === undefined) return value;
    throw new TaskError('INVALID_ARGUMENT', why);
  };
}

/**
 * Says what does not fit a JSON Schema.
 *
 * The SDK's validator knows all of JSON Schema 2020-12, which zod's reading of it does not. Loaded only for those who
 * need it, and at once: a schema that cannot be used is an error of the registration.
 */
export function toJsonCheck(schema: JsonObjectSchema): (value: unknown) => string | undefined {
  const { AjvJsonSchemaValidator } = loadValidators() as typeof import('@modelcontextprotocol/server/validators/ajv');
  const validate = new AjvJsonSchemaValidator().getValidator(schema as never);
  return (value) => {
    const checked = validate(value);
    return checked.valid ? undefined : checked.errorMessage;
  };
}

/** A bundler puts into the bundle what a plain `require` names; without a bundler there is none in a module. */
function loadValidators(): unknown {
  return typeof require === 'function'
    ? require('@modelcontextprotocol/server/validators/ajv')
    : createRequire(ownUrl)('@modelcontextprotocol/server/validators/ajv');
}
