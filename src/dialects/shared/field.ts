/**
 * Validates single fields: an invalid one is an error that names the field, the value and what is expected.
 *
 * For data that comes with calls and in the prompt log: it is read with every call and every entry, in files that hosts
 * load too, and repaired where possible. Options are read by schemas (`options/`).
 */

import { invalidField } from '../../invalid-field.ts';
import { isObject } from '../../is-object.ts';
import type { Json } from '../../task/json.ts';
import type { JsonObject } from '../host-port.ts';

export function parseObject(field: string, value: unknown): JsonObject {
  if (!isObject<Json>(value)) throw invalidField(field, value, 'an object');
  return value;
}

/** Returns a text, trimmed; `otherwise` when it is absent. */
export function parseText(field: string, value: unknown, otherwise = ''): string {
  if (value === undefined) return otherwise;
  if (typeof value !== 'string') throw invalidField(field, value, 'a text');
  return value.trim();
}

/** Returns a text that is not blank, trimmed; `otherwise` when it is absent. */
export function parseName(field: string, value: unknown, otherwise?: string): string {
  const text = typeof value === 'string' ? value.trim() : value;
  if (text === undefined && otherwise !== undefined) return otherwise;
  if (typeof text !== 'string' || text === '') throw invalidField(field, value, 'a text that is not blank');
  return text;
}

export function parseFlag(field: string, value: unknown, otherwise: boolean): boolean {
  if (value === undefined) return otherwise;
  if (typeof value !== 'boolean') throw invalidField(field, value, 'true or false');
  return value;
}

export function parseChoice<T extends string>(field: string, value: unknown, expected: readonly [T, ...T[]]): T {
  const found = value === undefined ? expected[0] : expected.find((one) => one === value);
  if (found === undefined) throw invalidField(field, value, expected.map((one) => JSON.stringify(one)).join(', '));
  return found;
}

export interface ListBounds {
  readonly min: number;
  readonly max: number;
}

export function parseList(field: string, value: unknown, { min, max }: ListBounds): readonly unknown[] {
  if (Array.isArray(value) && value.length >= min && value.length <= max) return value;
  const seen = Array.isArray(value) ? `a list of ${value.length}` : value;
  throw invalidField(field, seen, max === Infinity ? 'a list' : `a list of ${min} to ${max}`);
}

/** Rejects the second of two equal names. */
export function checkUnique(field: string, names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw invalidField(field, twice, 'one that no other entry of the list has');
}
