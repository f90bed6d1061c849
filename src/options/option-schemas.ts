/**
 * The building blocks of option schemas. The message of each schema is what it expects, for the error.
 *
 * They are functions, so that a schema is built where it is used and not on import.
 */
import { z } from 'zod';
import { isObject } from '../is-object.ts';
import type { RefusalParams } from './issue-text.ts';

/** Any value that passes a test. */
export function value<T>(expected: string, isValid: (value: unknown) => boolean): z.ZodType<T> {
  return z.custom<T>(isValid, expected);
}

/** Like `value`, for a value that must not be shown: the error contains `says` instead of it. */
export function hidden<T>(expected: string, isValid: (value: unknown) => boolean, says: string): z.ZodType<T> {
  return z.custom<T>(isValid, { error: expected, params: { says } satisfies RefusalParams });
}

export function text(): z.ZodType<string> {
  return value('a non-empty text', isText);
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

export function flag(): z.ZodType<boolean> {
  return z.boolean('true or false');
}

export function callback<T>(): z.ZodType<T> {
  return value('a function', isFunction);
}

export function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}

/** A whole number, such as a count or a duration. */
export function whole(min: 0 | 1): z.ZodType<number> {
  return value(`a whole number from ${min} up`, (value) => Number.isInteger(value) && (value as number) >= min);
}

/** Like `whole`, but `Infinity` is accepted as "no limit". */
export function wholeOrInfinite(min: number, expected = `a whole number from ${min} up`): z.ZodType<number> {
  const isWhole = (value: unknown) => Number.isInteger(value) || value === Infinity;
  return value(expected, (value) => isWhole(value) && (value as number) >= min);
}

/** An object with methods of these names. */
export function objectWith<T>(expected: string, ...methods: readonly string[]): z.ZodType<T> {
  return value(expected, (value) => isObject(value) && methods.every((method) => isFunction(value[method])));
}

/** An object with these fields and no others: a misspelt field would otherwise be ignored silently. */
export function onlyFields<Fields extends z.core.$ZodShape>(fields: Fields, expected = 'an object') {
  const names = Object.keys(fields).join(', ');
  return z.strictObject(fields, { error: ({ code }) => (code === 'unrecognized_keys' ? names : expected) });
}
