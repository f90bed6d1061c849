import { styleText } from 'node:util';
import { toPlainJson, toPlainPage } from '../../text/plain-text.ts';
import { createKeyboard, type Keyboard } from './keyboard.ts';

type Style = Parameters<typeof styleText>[0];

/** Where a command prints, and where it asks. Values meant for programs are printed as JSON and never truncated or coloured. */
export interface Terminal {
  readonly json: boolean;
  readonly isTty: boolean;
  readonly columns: number;
  readonly keyboard: Keyboard;
  print(line: string): void;
  /** Prints text from a tool: on a terminal with visible control characters, to a pipe or a file unchanged. */
  printText(text: string): void;
  printJson(value: unknown): void;
  /** Prints a remark to stderr; control characters in quoted text have no effect on the terminal. */
  remark(line: string): void;
  paint(style: Style, text: string): string;
}

export interface TerminalOptions {
  readonly json: boolean;
  readonly stdout?: NodeJS.WriteStream;
  readonly stderr?: NodeJS.WriteStream;
}

export function createTerminal(options: TerminalOptions): Terminal {
  const { stdout = process.stdout, stderr = process.stderr } = options;
  const isTty = stdout.isTTY === true;
  const coloured = isTty && !process.env.NO_COLOR;
  return {
    json: options.json,
    isTty,
    columns: stdout.columns ?? 80,
    keyboard: createKeyboard(),
    print: (line) => void stdout.write(`${line}\n`),
    printText: (text) => void stdout.write(`${isTty ? toPlainPage(text) : text}\n`),
    printJson: (value) => void stdout.write(`${toPlainJson(value)}\n`),
    remark: (line) => void stderr.write(`${toPlainPage(line)}\n`),
    paint: (style, text) => (coloured ? styleText(style, text, { validateStream: false }) : text),
  };
}
