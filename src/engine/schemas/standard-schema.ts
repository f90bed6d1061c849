/**
 * Schemas by the interface that libraries share: https://standardschema.dev
 *
 * Types of two versions of zod are not assignable to each other, and the compiler may run out of memory comparing them.
 * Every zod 4, and other libraries too, have the members that are required here.
 */

/** A schema of zod 4, or of another library that implements Standard Schema. */
export interface StandardSchema<Input = unknown, Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    /** The name of the library. */
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    /** For the compiler only. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** The value that a schema produces, or the issues. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One way in which a value does not fit. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The values that a schema accepts. */
export type StandardInput<Schema extends StandardSchema> = NonNullable<Schema['~standard']['types']>['input'];

/** The values that a schema produces. */
export type StandardOutput<Schema extends StandardSchema> = NonNullable<Schema['~standard']['types']>['output'];

export function isStandard(schema: unknown): schema is StandardSchema {
  const isHolder = schema !== null && (typeof schema === 'object' || typeof schema === 'function');
  return isHolder && '~standard' in schema && typeof schema['~standard'] === 'object';
}

/** Returns what does not fit, in one line. */
export function toIssuesText(issues: readonly StandardIssue[]): string {
  const texts = issues.map(({ path = [], message }) => {
    const at = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
    return at === '' ? message : `${at}: ${message}`;
  });
  return texts.join('; ');
}
