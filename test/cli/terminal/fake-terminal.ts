import { PassThrough } from 'node:stream';
import { until } from 'holdfast/testing';
import { createKeyboard, type Keyboard } from '../../../src/cli/terminal/keyboard.ts';

/** A terminal in memory, with somebody who types. */
export interface FakeTerminal {
  readonly keyboard: Keyboard;
  /** Whether the terminal hands over its keys. */
  readonly isRaw: boolean;
  /** What is on the screen so far. */
  readonly screen: string;
  type(keys: string): void;
  /** Waits until this is on the screen. */
  shows(text: string): Promise<void>;
}

export const CTRL_C = '\u0003';
export const CTRL_D = '\u0004';

export function openFakeTerminal(options: { readonly isForeground?: boolean } = {}): FakeTerminal {
  const { isForeground = true } = options;
  let isRaw = false;
  let screen = '';
  const setRawMode = (mode: boolean) => {
    isRaw = mode;
    return input;
  };
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode }) as unknown as NodeJS.ReadStream &
    PassThrough;
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  output.on('data', (chunk: Buffer) => {
    screen += chunk.toString();
  });
  const keyboard = createKeyboard({
    input,
    output: output as unknown as NodeJS.WriteStream,
    canTakeKeys: () => isForeground,
  });
  return {
    keyboard,
    get isRaw() {
      return isRaw;
    },
    get screen() {
      return screen;
    },
    type: (keys) => void input.write(keys),
    async shows(text) {
      await until(() => screen.includes(text), { what: `${JSON.stringify(text)} on the screen` });
    },
  };
}
