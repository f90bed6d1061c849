/** From the text of an option to its value, or `USAGE` that names the option and what is expected. */
import { TaskError } from '../../errors.ts';

/** Reads a whole number within bounds, both included. */
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

/** Reads one of a few words. */
export function parseChoice<Choice extends string>(text: string, option: string, choices: readonly Choice[]): Choice {
  const choice = choices.find((one) => one === text);
  if (choice !== undefined) return choice;
  throw new TaskError('USAGE', `${option} is ${JSON.stringify(text)}; expected: ${choices.join(', ')}`);
}
