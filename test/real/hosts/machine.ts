/**
 * A machine of its own on this one: its own processes and their numbers, its own network card, its own clock, and the
 * same name as the others.
 */
import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { fetchDebianPackage } from '../../../scripts/fetched/debian-package.mjs';
import { describeProcess, listMarked, MARK, signalProcess } from '../../../src/campaign/chaos/marked.ts';
import { until } from '../../../src/testing/until.ts';

const run = promisify(execFile);

/** The clock of a program is set by this library. */
const FAKETIME = `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/faketime/libfaketime.so.1`;

/** What every machine is called. */
const NAME = 'same-name';

/** Nothing where machines can be made, else why not; said on stderr, too. */
export async function findHindrance(): Promise<string | undefined> {
  const why = await findMissing();
  if (why !== undefined) console.error(`SKIPPED: nothing is tested on several machines: ${why}`);
  return why;
}

async function findMissing(): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root on Linux can make them';
  const find = async () => (await run('ls', [FAKETIME]).catch(() => undefined))?.stdout.trim();
  const found = await find();
  if ((await fetchDebianPackage('faketime', () => found)) === undefined && (await find()) === undefined)
    return 'there is no libfaketime';
  try {
    await run('unshare', ['--net', '--pid', '--uts', '--fork', '--mount-proc', 'true']);
    await run('ip', ['netns', 'list']);
    return undefined;
  } catch (error) {
    return `namespaces cannot be made here (${error instanceof Error ? error.message : error})`;
  }
}

export interface MachineOptions {
  /** Tells it from the others of this run and of other runs. */
  readonly place: number;
  readonly runId: string;
  /** `10.x.y`: the first three parts of all addresses. */
  readonly network: string;
  /** By how much its clock is wrong. */
  readonly skewS: number;
  readonly program: string;
  readonly args: readonly string[];
  readonly directory: string;
  /** `gateway` is this machine as it is seen from there. */
  toEnv(gateway: string, life: Life): NodeJS.ProcessEnv;
}

/** What a machine did from one start to its end. */
export interface Life {
  readonly journal: string;
  readonly mark: string;
}

export class Machine {
  readonly lives: Life[] = [];
  readonly options: MachineOptions;
  readonly #name: string;
  readonly #card: string;
  #child: ChildProcessWithoutNullStreams | undefined;
  #lines: AsyncIterator<string> | undefined;
  #said = '';

  constructor(options: MachineOptions) {
    this.options = options;
    this.#name = `hf${options.runId.slice(0, 6)}${options.place}`;
    this.#card = `${this.#name}v`;
  }

  /** What it runs at the moment, or ran last. */
  get life(): Life {
    const life = this.lives.at(-1);
    if (life === undefined) throw new Error('this machine was never started');
    return life;
  }

  get isUp(): boolean {
    return this.#child?.exitCode === null && this.#child.signalCode === null;
  }

  /** How it is called on the network, and how this machine is called from there. */
  get address(): { readonly here: string; readonly there: string } {
    const { network, place } = this.options;
    return { here: `${network}.${place * 4 + 1}`, there: `${network}.${place * 4 + 2}` };
  }

  /** Plugs its network card in. */
  async build(): Promise<void> {
    const { here, there } = this.address;
    const inside = ['-n', this.#name];
    await run('ip', ['netns', 'add', this.#name]);
    await run('ip', ['link', 'add', this.#card, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', this.#name]);
    await run('ip', ['addr', 'add', `${here}/30`, 'dev', this.#card]);
    await run('ip', ['link', 'set', this.#card, 'up']);
    await run('ip', [...inside, 'addr', 'add', `${there}/30`, 'dev', 'eth0']);
    await run('ip', [...inside, 'link', 'set', 'lo', 'up']);
    await run('ip', [...inside, 'link', 'set', 'eth0', 'up']);
  }

  start(): void {
    const { directory, place, runId, program, args: own, skewS } = this.options;
    const mark = `${runId}-${place}-${this.lives.length}`;
    const life = { mark, journal: join(directory, 'journals', `${place}-${this.lives.length}`) };
    mkdirSync(life.journal, { recursive: true });
    this.lives.push(life);
    // The shell is the first process there: it collects what is left by others, as an init does, and outlives its program
    // when that is killed.
    const script = `hostname ${NAME}; while :; do "$@"; code=$?; [ $code = 137 ] || exit $code;
      while [ ! -e "$HOLDFAST_TEST_AGAIN" ]; do sleep 0.1; done; rm "$HOLDFAST_TEST_AGAIN"; done`;
    const args = ['netns', 'exec', this.#name, 'unshare', '--pid', '--uts', '--fork', '--kill-child', '--mount-proc'];
    const clock = {
      LD_PRELOAD: FAKETIME,
      FAKETIME: `${skewS < 0 ? '' : '+'}${skewS}s`,
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
    const child = spawn('ip', [...args, 'sh', '-c', script, 'init', process.execPath, program, ...own], {
      env: {
        ...process.env,
        ...(skewS !== 0 && clock),
        ...{ [MARK]: mark, HOLDFAST_TEST_AGAIN: toAgain(life) },
        ...this.options.toEnv(this.address.here, life),
      },
    });
    child.stderr.setEncoding('utf8').on('data', (part) => {
      this.#said += part;
    });
    this.#child = child;
    this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  }

  /** Says one line to its program and returns the next one it prints. */
  async say(line: string): Promise<string> {
    this.#child?.stdin.write(`${line}\n`);
    return this.hear();
  }

  /** The next line that its program prints. */
  async hear(): Promise<string> {
    const next = await this.#lines?.next();
    if (next === undefined || next.done) throw new Error(`a machine ended: ${this.#said}`);
    return next.value;
  }

  /** Kills its program and nothing that this has started; returns how processes there name their host. */
  async killProgram(): Promise<string> {
    const [pid] = listMarked(this.life.mark).filter((one) => isProgram(one, this.options.program));
    if (pid === undefined) throw new Error('there is no program to be killed');
    const host = `${NAME}/${readlinkSync(`/proc/${pid}/ns/pid`)}`;
    signalProcess(pid, 'SIGKILL');
    await until(() => !isProgram(pid, this.options.program), { what: 'the end of a program', timeoutMs: 30_000 });
    return host;
  }

  /** Starts a program again that was killed. */
  startProgram(): void {
    writeFileSync(toAgain(this.life), '');
  }

  /** Pulls its plug. */
  async kill(): Promise<void> {
    const exit = this.#child && this.isUp && once(this.#child, 'exit');
    this.signal('SIGKILL');
    this.#child?.kill('SIGKILL');
    await exit;
    await until(() => listMarked(this.life.mark).length === 0, { what: 'a machine to be off', timeoutMs: 30_000 });
  }

  /** Everything that runs there gets it at once. */
  signal(signal: NodeJS.Signals): void {
    for (const pid of listMarked(this.life.mark)) signalProcess(pid, signal);
  }

  /** Nothing comes through any more, and nobody is told. */
  async cut(): Promise<void> {
    await run('ip', ['link', 'set', this.#card, 'down']);
  }

  async mend(): Promise<void> {
    await run('ip', ['link', 'set', this.#card, 'up']);
  }

  /** Lets its program end as it should. */
  async end(): Promise<void> {
    const exit = this.#child && this.isUp && once(this.#child, 'exit');
    this.#child?.stdin.end();
    await exit;
  }

  async remove(): Promise<void> {
    if (this.lives.length > 0) await this.kill();
    await run('ip', ['link', 'del', this.#card]).catch(() => {});
    await run('ip', ['netns', 'del', this.#name]).catch(() => {});
  }
}

/** While there is such a file, a program that was killed is started again. */
function toAgain({ journal }: Life): string {
  return `${journal}.again`;
}

/** Those that lead to it have it among their arguments, too. */
function isProgram(pid: number, program: string): boolean {
  return describeProcess(pid).command === `${process.execPath} ${program}`;
}
