import type { z } from 'zod';
import { refusedField } from '../invalid-field.ts';
import { type OptionsPlace, toRefusal } from './issue-text.ts';

/** A schema for every field of options, by the type that documents them: one that is missing, or too much, does not compile. */
export type OptionsShape<Options> = {
  readonly [Field in keyof Options]-?: z.ZodType<Options[Field] | Given<Options[Field]>>;
};

/** As a program without types writes it: what may be left out may be `undefined`, two objects deep. */
type Given<Value> = Value extends object
  ? { [Field in keyof Value]: Absent<Value, Field> | Inner<Value[Field]> }
  : Value;
type Inner<Value> = Value extends object
  ? Value | { [Field in keyof Value]: Absent<Value, Field> | Value[Field] }
  : Value;
type Absent<Value, Field extends keyof Value> = object extends Pick<Value, Field> ? undefined : never;

/** Checks options and gives back what their schema makes of them, or throws `INVALID_ARGUMENT`. */
export type OptionsParser<Output> = (value: unknown, place?: OptionsPlace) => Output;

/**
 * Reads options, or the content of a configuration file, by a zod schema whose messages say what is expected:
 * `z.number('a number')`. What does not fit is refused as `field is VALUE; expected …`.
 *
 * The schema is made at the first use, so that a program does not pay for options that it never gives.
 *
 * @example const parseColours = optionsParser(() => z.strictObject({ paper: z.string('a text') }, 'paper'));
 */
export function optionsParser<Schema extends z.ZodType>(make: () => Schema): OptionsParser<z.output<Schema>> {
  let schema: Schema | undefined;
  return (value, place) => {
    schema ??= make();
    // Options are read once or twice; compiling their schema would take longer than that.
    const parsed = schema.safeParse(value, { jitless: true });
    if (parsed.success) return parsed.data;
    throw refusedField(toRefusal(parsed.error.issues, value, place));
  };
}
