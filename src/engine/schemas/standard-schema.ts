/**
 * Schemas as libraries share them: https://standardschema.dev
 *
 * Types of two versions of zod do not fit each other, and the compiler may run out of memory over the question. What is
 * asked of a schema here, every zod 4 fulfils, and so do others.
 */

/** A schema of zod 4, or of another library that knows Standard Schema. */
export interface StandardSchema<Input = unknown, Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    /** The library. */
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    /** Only for the compiler. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** What a schema makes of a value, or what does not fit. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One thing that does not fit. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** What a schema takes. */
export type StandardInput<Schema extends StandardSchema> = NonNullable<Schema['~standard']['types']>['input'];

/** What a schema makes of it. */
export type StandardOutput<Schema extends StandardSchema> = NonNullable<Schema['~standard']['types']>['output'];

export function isStandard(schema: unknown): schema is StandardSchema {
  const isHolder = schema !== null && (typeof schema === 'object' || typeof schema === 'function');
  return isHolder && '~standard' in schema && typeof schema['~standard'] === 'object';
}

/** What does not fit, in one line. */
export function toIssuesText(issues: readonly StandardIssue[]): string {
  const texts = issues.map(({ path = [], message }) => {
    const at = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
    return at === '' ? message : `${at}: ${message}`;
  });
  return texts.join('; ');
}
