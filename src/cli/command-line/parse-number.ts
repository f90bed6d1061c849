import { TaskError } from '../../errors.ts';

/** Reads a decimal number within bounds, both included. */
export function parseNumber(
  text: string,
  option: string,
  range: { readonly from: number; readonly to: number },
): number {
  const value = /^\d{1,15}(?:\.\d{1,15})?$/.test(text) ? Number(text) : Number.NaN;
  if (value >= range.from && value <= range.to) return value;
  throw new TaskError(
    'USAGE',
    `${option} is ${JSON.stringify(text)}; expected a number from ${range.from} to ${range.to}`,
  );
}
