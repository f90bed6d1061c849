/**
 * Asks the person at the terminal questions, one at a time, and handles Ctrl-C.
 *
 * A terminal sends Ctrl-C as a signal to every program in its foreground group, so a server that we spawned would exit before
 * the person could be asked what to do. While there is a Ctrl-C listener, the terminal is therefore put into raw mode and the
 * key is read as input. A background program leaves the terminal unchanged.
 */
import { isForeground } from './foreground.ts';

export interface AskOptions {
  /** Whether to hide what is typed. @default false */
  readonly isSecret?: boolean;
  /** Aborted when the answer is not needed any more. */
  readonly signal?: AbortSignal;
}

export interface Keyboard {
  /** Whether there is a person to ask. */
  readonly canAsk: boolean;
  /** Whether a question is on the screen. */
  readonly isAsking: boolean;
  /** Returns what the person types; undefined on Ctrl-C or Ctrl-D, or when `signal` is aborted. */
  ask(question: string, options?: AskOptions): Promise<string | undefined>;
  /** Returns the key that the person presses, in lower case, without waiting for Enter. Enter itself is an empty string. */
  askKey(question: string, options?: Pick<AskOptions, 'signal'>): Promise<string | undefined>;
  /** Gives the terminal to another program while `use` runs; no questions are asked meanwhile. */
  lend<Result>(use: () => Promise<Result>): Promise<Result>;
  /** Calls the listener on Ctrl-C, except while a question is on the screen. Returns a function that removes the listener. */
  onInterrupt(listener: () => void): () => void;
}

export interface KeyboardOptions {
  readonly input?: NodeJS.ReadStream;
  readonly output?: NodeJS.WriteStream;
  /** Whether the terminal may be put into raw mode. */
  readonly canTakeKeys?: () => boolean;
}

const [CTRL_C, CTRL_Z, CTRL_BACKSLASH] = [0x03, 0x1a, 0x1c];

export function createKeyboard(options: KeyboardOptions = {}): Keyboard {
  const { input = process.stdin, output = process.stderr } = options;
  const { canTakeKeys = () => process.stdout.isTTY === true && isForeground() } = options;
  const keys = new Keys(input, canTakeKeys);
  let asked: Promise<unknown> = Promise.resolve();
  let isAsking = false;
  const hold = async <Result>(use: () => Promise<Result>): Promise<Result> => {
    isAsking = true;
    keys.leaveRawMode();
    try {
      return await use();
    } finally {
      isAsking = false;
      keys.enterRawMode();
    }
  };
  const inTurn = <Result>(use: () => Promise<Result>): Promise<Result> => {
    const result = asked.then(use);
    asked = result.catch(() => {});
    return result;
  };
  return {
    canAsk: input.isTTY === true && output.isTTY === true,
    get isAsking() {
      return isAsking;
    },
    ask: (question, { isSecret = false, signal } = {}) =>
      inTurn(async () => {
        if (signal?.aborted) return undefined;
        return hold(() => readLine(question, { input, output, isSecret, signal }));
      }),
    askKey: (question, { signal } = {}) =>
      inTurn(async () => {
        if (signal?.aborted) return undefined;
        return hold(() => readKey(question, { input, output, signal }));
      }),
    lend: (use) => inTurn(() => hold(use)),
    onInterrupt: (listener) => keys.listen(listener),
  };
}

interface LineOptions {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly isSecret: boolean;
  readonly signal: AbortSignal | undefined;
}

async function readLine(question: string, options: LineOptions): Promise<string | undefined> {
  const { input, output, isSecret, signal } = options;
  // Imported lazily: most commands ask nothing and need not load this.
  const [{ createInterface }, { Writable }] = await Promise.all([import('node:readline'), import('node:stream')]);
  if (signal?.aborted) return undefined;
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: isSecret ? silent : output, terminal: true, historySize: 0 });
  if (isSecret) output.write(question);
  return new Promise((resolve) => {
    const close = () => lines.close();
    let answer: string | undefined;
    lines.once('SIGINT', close);
    lines.once('close', () => {
      signal?.removeEventListener('abort', close);
      if (isSecret || answer === undefined) output.write('\n');
      resolve(answer);
    });
    signal?.addEventListener('abort', close, { once: true });
    lines.question(isSecret ? '' : question, (line) => {
      answer = line;
      lines.close();
    });
  });
}

function readKey(question: string, { input, output, signal }: Omit<LineOptions, 'isSecret'>) {
  output.write(question);
  return new Promise<string | undefined>((resolve) => {
    const end = (key: string | undefined) => {
      input.off('data', onData).pause().setRawMode(false);
      signal?.removeEventListener('abort', stop);
      output.write(`${key ?? ''}\n`);
      resolve(key);
    };
    const stop = () => end(undefined);
    const onData = (chunk: Buffer) => {
      const [key = ''] = chunk.toString('utf8');
      if (key === '\u0003' || key === '\u0004') end(undefined);
      else if (key === '\r' || key === '\n') end('');
      else if (/^\p{L}$/u.test(key)) end(key.toLowerCase());
    };
    signal?.addEventListener('abort', stop, { once: true });
    input.setRawMode(true).on('data', onData).resume();
  });
}

/** Reads Ctrl-C as a key where that is possible, and as a signal elsewhere. */
class Keys {
  readonly #input: NodeJS.ReadStream;
  readonly #canEnterRawMode: () => boolean;
  readonly #onData = (chunk: Buffer) => this.#handleKey(chunk);
  readonly #onSignal = () => this.#listener?.();
  readonly #onContinue = () => this.enterRawMode();
  #listener: (() => void) | undefined;
  #isInRawMode = false;

  constructor(input: NodeJS.ReadStream, canEnterRawMode: () => boolean) {
    this.#input = input;
    this.#canEnterRawMode = canEnterRawMode;
  }

  listen(listener: () => void): () => void {
    this.#listener = listener;
    process.on('SIGINT', this.#onSignal).on('SIGCONT', this.#onContinue);
    this.enterRawMode();
    return () => {
      this.#listener = undefined;
      process.off('SIGINT', this.#onSignal).off('SIGCONT', this.#onContinue);
      this.leaveRawMode();
    };
  }

  enterRawMode(): void {
    if (!this.#listener || this.#isInRawMode || this.#input.isTTY !== true || !this.#canEnterRawMode()) return;
    this.#isInRawMode = true;
    this.#input.setRawMode(true).on('data', this.#onData).resume();
  }

  leaveRawMode(): void {
    if (!this.#isInRawMode) return;
    this.#isInRawMode = false;
    this.#input.off('data', this.#onData).pause().setRawMode(false);
  }

  #handleKey(chunk: Buffer): void {
    if (chunk.includes(CTRL_C)) this.#listener?.();
    else if (chunk.includes(CTRL_BACKSLASH)) this.#signal('SIGQUIT');
    else if (chunk.includes(CTRL_Z)) this.#signal('SIGTSTP');
  }

  // Does what the terminal would have done: signals the whole process group. SIGCONT takes the keys back.
  #signal(signal: NodeJS.Signals): void {
    this.leaveRawMode();
    process.kill(0, signal);
  }
}
