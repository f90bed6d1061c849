import { toPlainText } from '../../text/plain-text.ts';
import type { AskOptions } from './keyboard.ts';
import type { Terminal } from './terminal.ts';

/** The value of an answer, or a description of what is wrong with it. */
export type Parsed<Value> = { readonly value: Value } | { readonly wrong: string };

export interface FieldQuestion<Value> extends AskOptions {
  readonly label: string;
  /** What kind of value is expected. */
  readonly expected?: string | undefined;
  /** The value that Enter alone means. */
  readonly byDefault?: string | undefined;
  /** Parses the answer; if it does not fit, the reason is shown and the field is asked for again. */
  readonly parse: (answer: string) => Parsed<Value> | Promise<Parsed<Value>>;
}

type Asker = Pick<Terminal, 'keyboard' | 'remark'>;

/** Asks the person at the terminal for one field until the answer fits; returns undefined on Ctrl-C. */
export function askField<Value>(
  terminal: Asker,
  question: FieldQuestion<Value>,
): Promise<{ value: Value } | undefined> {
  const { label, expected, byDefault, parse, isSecret = false, ...options } = question;
  const told = [expected, isSecret && 'not shown', byDefault && `Enter: ${byDefault}`].filter(Boolean);
  const text = toPlainText(`${label}${told.length === 0 ? '' : ` (${told.join('; ')})`}:`);
  return askUntil(terminal, { ask: () => terminal.keyboard.ask(`${text} `, { isSecret, ...options }), parse });
}

/** Asks until an answer fits, each time showing what was wrong; returns undefined if the person dismisses the question. */
export async function askUntil<Value>(
  { remark }: Pick<Terminal, 'remark'>,
  { ask, parse }: Pick<FieldQuestion<Value>, 'parse'> & { readonly ask: () => Promise<string | undefined> },
): Promise<{ readonly value: Value } | undefined> {
  for (;;) {
    const answer = await ask();
    if (answer === undefined) return undefined;
    const parsed = await parse(answer);
    if ('value' in parsed) return parsed;
    remark(toPlainText(`  ${parsed.wrong}`));
  }
}
