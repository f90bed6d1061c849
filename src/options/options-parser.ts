import type { z } from 'zod';
import { refusedField } from '../invalid-field.ts';
import { type OptionsPlace, toRefusal } from './issue-text.ts';

/** A schema for every field of an options type: a missing or an extra field does not compile. */
export type OptionsShape<Options> = {
  readonly [Field in keyof Options]-?: z.ZodType<Options[Field] | Given<Options[Field]>>;
};

/** The type of options from an untyped program: optional fields may be `undefined`, two levels deep. */
type Given<Value> = Value extends object
  ? { [Field in keyof Value]: Absent<Value, Field> | Inner<Value[Field]> }
  : Value;
type Inner<Value> = Value extends object
  ? Value | { [Field in keyof Value]: Absent<Value, Field> | Value[Field] }
  : Value;
type Absent<Value, Field extends keyof Value> = object extends Pick<Value, Field> ? undefined : never;

/** Checks options and returns the parsed value, or throws `INVALID_ARGUMENT`. */
export type OptionsParser<Output> = (value: unknown, place?: OptionsPlace) => Output;

/**
 * Creates a parser for options, or for a configuration file, from a zod schema whose messages say what is expected:
 * `z.number('a number')`. An invalid value is refused as `field is VALUE; expected …`.
 *
 * The schema is built on first use, so that a program does not pay for options that it never sets.
 *
 * @example const parseColours = optionsParser(() => z.strictObject({ paper: z.string('a text') }, 'paper'));
 */
export function optionsParser<Schema extends z.ZodType>(make: () => Schema): OptionsParser<z.output<Schema>> {
  let schema: Schema | undefined;
  return (value, place) => {
    schema ??= make();
    // Options are parsed once or twice; compiling the schema would take longer than that.
    const parsed = schema.safeParse(value, { jitless: true });
    if (parsed.success) return parsed.data;
    throw refusedField(toRefusal(parsed.error.issues, value, place));
  };
}
