import { inspect } from 'node:util';
import { shorten } from './cut-text.ts';

const MAX_TEXT = 200;

/** Formats a value for an error message: texts in quotes, long ones cut. Never throws. */
export function toValueText(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(shorten(value, MAX_TEXT));
  try {
    return shorten(inspect(value, { depth: 1, breakLength: Infinity, maxArrayLength: 5 }), MAX_TEXT);
  } catch {
    return `a ${typeof value} that cannot be shown`;
  }
}
