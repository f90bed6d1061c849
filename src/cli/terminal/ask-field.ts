import { toPlainText } from '../../plain-text.ts';
import type { AskOptions, Keyboard } from './keyboard.ts';

export interface FieldQuestion<Value> extends AskOptions {
  readonly label: string;
  /** What is expected. */
  readonly expected?: string | undefined;
  /** What Enter alone means. */
  readonly byDefault?: string | undefined;
  /** The value of an answer; nothing for one that does not fit, after which the field is asked for again. */
  readonly parse: (answer: string) => Value | undefined;
}

/** Asks the person at the terminal for one field until the answer fits; nothing when they turn away with Ctrl-C. */
export function askField<Value>(keyboard: Keyboard, question: FieldQuestion<Value>): Promise<Value | undefined> {
  const { label, expected, byDefault, parse, isSecret = false, ...options } = question;
  const told = [expected, isSecret && 'not shown', byDefault && `Enter: ${byDefault}`].filter(Boolean);
  const text = toPlainText(`${label}${told.length === 0 ? '' : ` (${told.join('; ')})`}:`);
  return askUntil(() => keyboard.ask(`${text} `, { isSecret, ...options }), parse);
}

/** Asks again until an answer fits; nothing when the person turns away. */
export async function askUntil<Value>(
  ask: () => Promise<string | undefined>,
  parse: (answer: string) => Value | undefined,
): Promise<Value | undefined> {
  for (;;) {
    const answer = await ask();
    if (answer === undefined) return undefined;
    const value = parse(answer);
    if (value !== undefined) return value;
  }
}
