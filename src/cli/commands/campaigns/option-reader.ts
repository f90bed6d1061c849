import { TaskError } from '../../../errors.ts';
import { parseNumber, parseWhole } from '../../command-line/parse-value.ts';

/** Reads options by the part of their name that `soak` and `closure` share. */
export class OptionReader {
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #prefix: '' | 'soak-';

  constructor(values: Readonly<Record<string, unknown>>, prefix: '' | 'soak-') {
    this.#values = values;
    this.#prefix = prefix;
  }

  text(name: string): string | undefined {
    const value = this.#values[`${this.#prefix}${name}`];
    return typeof value === 'string' ? value : undefined;
  }

  whole(name: string, otherwise: number, range: { from: number; to: number }): number {
    const text = this.text(name);
    return text === undefined ? otherwise : parseWhole(text, `--${this.#prefix}${name}`, range);
  }

  number(name: string, otherwise: number, range: { from: number; to: number }): number {
    const text = this.text(name);
    return text === undefined ? otherwise : parseNumber(text, `--${this.#prefix}${name}`, range);
  }

  choice<Choice extends string>(name: string, expected: readonly Choice[], otherwise: Choice): Choice {
    const text = this.text(name);
    if (text === undefined) return otherwise;
    const found = expected.find((one) => one === text);
    if (found !== undefined) return found;
    throw new TaskError(
      'USAGE',
      `--${this.#prefix}${name} is ${JSON.stringify(text)}; expected: ${expected.join(', ')}`,
    );
  }

  /** Parses a comma-separated list of words without duplicates. */
  list<Choice extends string>(
    name: string,
    expected: readonly Choice[],
    otherwise: readonly Choice[],
  ): readonly Choice[] {
    const text = this.text(name);
    if (text === undefined) return otherwise;
    const words = new Set(text.split(',').map((word) => word.trim()));
    const unknown = [...words].find((word) => !expected.some((one) => one === word));
    if (unknown === undefined) return expected.filter((one) => words.has(one));
    throw new TaskError(
      'USAGE',
      `--${this.#prefix}${name} has ${JSON.stringify(unknown)} in it; expected: ${expected.join(', ')}, with commas between`,
    );
  }

  /** Reads an option that `--no-…` turns off. */
  flag(name: string, otherwise: boolean): boolean {
    const whole = `${this.#prefix}${name}`;
    const isOn = this.#values[whole] === true;
    const isOff = this.#values[`no-${whole}`] === true;
    if (isOn && isOff) throw new TaskError('USAGE', `--${whole} and --no-${whole} contradict each other; expected one`);
    return isOn || (otherwise && !isOff);
  }
}
