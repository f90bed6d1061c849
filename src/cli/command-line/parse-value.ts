/** Parsers for option values; each throws `USAGE` naming the option and what is expected. */
import { TaskError } from '../../errors.ts';

/** Parses a whole number within inclusive bounds. */
export function parseWhole(
  text: string,
  option: string,
  range: { readonly from: number; readonly to: number },
): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= range.from && value <= range.to) return value;
  throw new TaskError(
    'USAGE',
    `${option} is ${JSON.stringify(text)}; expected a whole number from ${range.from} to ${range.to}`,
  );
}

/** Parses a decimal number within inclusive bounds. */
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

/** Parses one of a fixed set of words. */
export function parseChoice<Choice extends string>(text: string, option: string, choices: readonly Choice[]): Choice {
  const choice = choices.find((one) => one === text);
  if (choice !== undefined) return choice;
  throw new TaskError('USAGE', `${option} is ${JSON.stringify(text)}; expected: ${choices.join(', ')}`);
}
