/** An empty folder, a shell and a terminal in it, as somebody has them who reads a page for the first time. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from 'holdfast/testing';
import { linkPackage } from '../../scripts/install/link-package.mjs';

/** Long enough for a machine that is busy with other tests. */
const PATIENT = { timeoutMs: 100_000 } as const;

export interface Desk extends AsyncDisposable {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** Puts the package and zod where `npm i` would. */
  readonly install: () => Promise<void>;
  /** Runs a line in the shell; returns what it wrote to stdout and stderr, in that order. */
  run(line: string): Promise<string>;
  /** Runs a line on a terminal, and types a word as soon as it asks for one. */
  runAndType(line: string, word: string): Promise<string>;
}

export interface DeskOptions {
  readonly install?: (folder: string, env: NodeJS.ProcessEnv) => Promise<void>;
}

export async function openDesk({ install = linkTested }: DeskOptions = {}): Promise<Desk> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-desk-'));
  const env = toEnvironment(await mkdtemp(join(tmpdir(), 'holdfast-home-')));
  return {
    folder,
    env,
    install: () => install(folder, env),
    run: (line) => runToEnd(['sh', '-c', `exec 2>&1; ${line}`], { folder, env }),
    runAndType: (line, word) =>
      runToEnd(['script', '--quiet', '--flush', '--return', '--command', line, '/dev/null'], { folder, env, word }),
    async [Symbol.asyncDispose]() {
      for (const path of [folder, env.HOME ?? '']) await rm(path, { recursive: true, force: true });
    },
  };
}

/** The package as the programs of this run have it; test/real has it as it is shipped. */
const linkTested = (folder: string) => linkPackage(folder, process.env.HOLDFAST_TEST_BUNDLE);

/** That of a user with nothing set for Holdfast. */
function toEnvironment(home: string): NodeJS.ProcessEnv {
  const { HOLDFAST_DIR: _, XDG_STATE_HOME: __, ...rest } = process.env;
  return {
    ...rest,
    HOME: home,
    NO_COLOR: '1',
    NODE_NO_WARNINGS: '1',
    TERM: 'xterm',
    npm_config_loglevel: 'error',
    npm_config_progress: 'false',
    npm_config_update_notifier: 'false',
  };
}

interface Place {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly word?: string;
}

async function runToEnd([file = '', ...args]: readonly string[], { folder, env, word }: Place): Promise<string> {
  const child = spawn(file, args, { cwd: folder, env, stdio: ['pipe', 'pipe', 'inherit'] });
  let screen = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text;
  });
  const ended = new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  if (word === undefined) child.stdin.end();
  else {
    await until(() => /\(.*\): /.test(screen), { ...PATIENT, what: `a question on ${JSON.stringify(screen)}` });
    child.stdin.write(`${word}\n`);
  }
  const code = await ended;
  if (code !== 0) throw new Error(`${args.at(-1)} ended with ${code}: ${screen}`);
  return screen;
}
