/**
 * A program that is restarted whenever it exits, as a process manager would.
 *
 * Its output goes to a log file in the directory of the run.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { signalProcess } from './marked.ts';

export interface RestartedProcessOptions {
  readonly name: string;
  readonly program: string;
  readonly args?: readonly string[];
  readonly dir: string;
  readonly env: () => NodeJS.ProcessEnv;
  /** Called with each line of its output. */
  readonly onLine?: (line: string) => void;
}

const PAUSE_MS = 150;
const END_MS = 20_000;

export class RestartedProcess {
  readonly #options: RestartedProcessOptions;
  readonly #log: number;
  #child: ChildProcess | undefined;
  #restartTimer: NodeJS.Timeout | undefined;
  #isClosing = false;
  /** How often it was started. */
  starts = 0;

  constructor(options: RestartedProcessOptions) {
    this.#options = options;
    this.#log = openSync(join(options.dir, `${options.name}.log`), 'a', 0o600);
  }

  /** The pid of the running process, if there is one now. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  start(): void {
    const { program, args = [], env, onLine, dir } = this.#options;
    this.starts += 1;
    const stdio = ['ignore', onLine ? 'pipe' : this.#log, this.#log] as const;
    const child = spawn(process.execPath, [program, ...args], { env: env(), cwd: dir, stdio: [...stdio] });
    this.#child = child;
    if (onLine && child.stdout) createInterface({ input: child.stdout }).on('line', onLine);
    const onEnd = () => {
      if (this.#child !== child) return;
      this.#child = undefined;
      if (!this.#isClosing) this.#restartTimer = setTimeout(() => this.start(), PAUSE_MS);
    };
    child.once('exit', onEnd).once('error', onEnd);
  }

  /** Stops it permanently, with SIGKILL when it takes too long. */
  async close(): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#restartTimer);
    const child = this.#child;
    if (child?.pid !== undefined) {
      const ended = once(child, 'exit');
      signalProcess(child.pid, 'SIGTERM');
      const force = setTimeout(() => child.kill('SIGKILL'), END_MS);
      await ended;
      clearTimeout(force);
    }
    closeSync(this.#log);
  }
}
