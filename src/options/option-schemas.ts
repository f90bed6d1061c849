/**
 * What many options are made of. The message of each schema is what it expects, for the complaint.
 *
 * They are functions: a schema is made where it is used, and not by an import.
 */
import { z } from 'zod';
import { isObject } from '../is-object.ts';
import type { RefusalParams } from './issue-text.ts';

/** Whatever passes a test. */
export function value<T>(expected: string, isValid: (value: unknown) => boolean): z.ZodType<T> {
  return z.custom<T>(isValid, expected);
}

/** The same for what must not be shown: the complaint says this of it instead of its value. */
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

/** A whole number that is counted or waited for. */
export function whole(min: 0 | 1): z.ZodType<number> {
  return value(`a whole number from ${min} up`, (value) => Number.isInteger(value) && (value as number) >= min);
}

/** The same where `Infinity` is a fair way to say "no limit". */
export function wholeOrInfinite(min: number, expected = `a whole number from ${min} up`): z.ZodType<number> {
  const isWhole = (value: unknown) => Number.isInteger(value) || value === Infinity;
  return value(expected, (value) => isWhole(value) && (value as number) >= min);
}

/** An object with methods of these names. */
export function objectWith<T>(expected: string, ...methods: readonly string[]): z.ZodType<T> {
  return value(expected, (value) => isObject(value) && methods.every((method) => isFunction(value[method])));
}

/** An object with these fields and no others. A misspelt one would not be there, and nobody would notice. */
export function onlyFields<Fields extends z.core.$ZodShape>(fields: Fields, expected = 'an object') {
  const names = Object.keys(fields).join(', ');
  return z.strictObject(fields, { error: ({ code }) => (code === 'unrecognized_keys' ? names : expected) });
}
