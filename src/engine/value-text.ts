import { inspect } from 'node:util';

const MAX_TEXT = 200;

/** A value as a message shows it: texts in quotes, long ones cut, and never a throw. */
export function toValueText(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(cut(value, MAX_TEXT));
  try {
    return cut(inspect(value, { depth: 1, breakLength: Infinity, maxArrayLength: 5 }), MAX_TEXT);
  } catch {
    return `a ${typeof value} that cannot be shown`;
  }
}

/** Keeps a text below a length, and shows that something is missing. */
export function cut(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}…`;
}
