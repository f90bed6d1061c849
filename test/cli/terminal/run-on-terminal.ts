import { spawn } from 'node:child_process';
import { until } from 'holdfast/testing';
import { builtPath } from '../../programs/program-path.js';

const MAIN = builtPath('cli/main.js');

/** A command line on a real terminal, which `script` gives it, and somebody who types. */
export interface OnTerminal {
  /** Its exit code. */
  readonly ended: Promise<number | null>;
  /** What is on the screen so far. */
  readonly screen: string;
  /** Waits for a text that has come to the screen since what was typed last, and answers it. */
  type(question: string, keys: string): Promise<void>;
}

export function runOnTerminal(
  args: readonly string[],
  { env, cwd }: { readonly env: NodeJS.ProcessEnv; readonly cwd: string },
): OnTerminal {
  const command = [process.execPath, MAIN, ...args].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['--quiet', '--flush', '--return', '--command', command, '/dev/null'], {
    cwd,
    env: { ...process.env, NODE_NO_WARNINGS: '1', TERM: 'xterm', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let screen = '';
  let seen = 0;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text;
  });
  return {
    ended: new Promise((resolve) => child.once('close', resolve)),
    get screen() {
      return screen;
    },
    async type(question, keys) {
      const isShown = () => screen.indexOf(question, seen) !== -1;
      await until(isShown, { what: `${question} on ${JSON.stringify(screen)}`, timeoutMs: 60_000 });
      seen = screen.length;
      child.stdin.write(keys);
    },
  };
}
