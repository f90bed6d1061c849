import { styleText } from 'node:util';
import { createKeyboard, type Keyboard } from './keyboard.ts';

type Style = Parameters<typeof styleText>[0];

/** Where a command prints, and whom it can ask. Values meant for programs go out as JSON and are never cut or coloured. */
export interface Terminal {
  readonly json: boolean;
  readonly isTty: boolean;
  readonly columns: number;
  readonly keyboard: Keyboard;
  print(line: string): void;
  printJson(value: unknown): void;
  /** For remarks that are no part of the output. */
  remark(line: string): void;
  paint(style: Style, text: string): string;
}

export function createTerminal(options: { readonly json: boolean }): Terminal {
  const { stdout, stderr, env } = process;
  const isTty = stdout.isTTY === true;
  const coloured = isTty && !env.NO_COLOR;
  return {
    json: options.json,
    isTty,
    columns: stdout.columns ?? 80,
    keyboard: createKeyboard(),
    print: (line) => void stdout.write(`${line}\n`),
    printJson: (value) => void stdout.write(`${JSON.stringify(value)}\n`),
    remark: (line) => void stderr.write(`${line}\n`),
    paint: (style, text) => (coloured ? styleText(style, text, { validateStream: false }) : text),
  };
}
