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
  /** Arguments are passed by name. */
  readonly type: 'object';
  /** Any other keyword of JSON Schema 2020-12. */
  readonly [key: string]: unknown;
}

/**
 * A schema of zod 4, of another library that implements Standard Schema and gives JSON Schema, or a JSON Schema of type
 * object.
 */
export type ToolSchema = StandardSchema | JsonObjectSchema;

/** The arguments that `run` gets for a schema: parsed, with defaults and transforms applied. */
export type SchemaOutput<Schema> = Schema extends StandardSchema ? StandardOutput<Schema> : Record<string, Json>;

/** The arguments that a schema accepts. */
export type SchemaInput<Schema> = Schema extends StandardSchema
  ? StandardInput<Schema>
  : Readonly<Record<string, unknown>>;

/** A schema that is ready for use. */
export interface ParsedSchema {
  /** The schema as JSON Schema. */
  readonly json: Json;
  /** Returns the parsed value; throws an error that says what does not fit. */
  parse(value: unknown): unknown;
}

/** The schema of a tool that declares no input. Written by hand: the validator of JSON Schema is slow to load. */
export const ANY_OBJECT: ParsedSchema = {
  json: { type: 'object', properties: {} },
  parse(value) {
    if (isObject(value)) return value;
    throw new TaskError('INVALID_ARGUMENT', 'data must be object');
  },
};

/** Parses the schema of a tool; an unusable schema is an error of the registration. */
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
 * Returns a check that says how a value violates a JSON Schema.
 *
 * The SDK's validator supports all of JSON Schema 2020-12, which zod does not. It is loaded only where it is needed, and
 * synchronously: an unusable schema is an error of the registration.
 */
export function toJsonCheck(schema: JsonObjectSchema): (value: unknown) => string | undefined {
  const { AjvJsonSchemaValidator } = loadValidators() as typeof import('@modelcontextprotocol/server/validators/ajv');
  const validate = new AjvJsonSchemaValidator().getValidator(schema as never);
  return (value) => {
    const checked = validate(value);
    return checked.valid ? undefined : checked.errorMessage;
  };
}

/** A bundler includes what a plain `require` names; without a bundler, an ES module has no `require`. */
function loadValidators(): unknown {
  return typeof require === 'function'
    ? require('@modelcontextprotocol/server/validators/ajv')
    : createRequire(ownUrl)('@modelcontextprotocol/server/validators/ajv');
}
