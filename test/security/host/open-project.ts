/** A project directory with files that somebody put there, and a command line that is run in it. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type NewCall, openSqliteLedger } from 'holdfast/host';
import { until } from 'holdfast/testing';
import { onTestFinished } from 'vitest';
import { type CliResult, runCli, withMark } from '../../cli/run-cli.ts';
import { builtPath } from '../../programs/program-path.js';

/** As the ledger says that no process follows a call. */
const NOBODY = '';

const MAIN = builtPath('cli/main.js');

/** A server of ours as a file of a project, and as a command. */
export const SERVER = `process.argv[2] = 'demo'; process.argv[3] = '--conformance'; await import(${JSON.stringify(MAIN)});`;
export const DEMO = { command: process.execPath, args: [MAIN, 'demo', '--conformance'] };

export interface Project {
  /** Holds the directory of the project, the user's state and the mark. */
  readonly base: string;
  /** Where the command line is run unless it is said otherwise. */
  readonly dir: string;
  readonly ledger: string;
  /** A server that does nothing but leave a mark. */
  readonly harm: { readonly command: string; readonly args: string[] };
  readonly isHarmed: boolean;
  write(path: string, content: string | object): Promise<string>;
  run(...argv: string[]): Promise<CliResult>;
  runIn(dir: string, ...argv: string[]): Promise<CliResult>;
  /** Puts a pending call into a ledger. */
  plant(call: Partial<NewCall>, ledger?: string): Promise<void>;
}

export async function openProject(): Promise<Project> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-project-')));
  onTestFinished(async () => {
    await until(() => rm(base, { recursive: true, force: true }).then(() => true), { timeoutMs: 60_000 });
  });
  const state = join(base, 'state');
  const dir = join(base, 'outer', 'project');
  const mark = join(base, 'harmed');
  await mkdir(dir, { recursive: true });
  await mkdir(join(base, 'home'));
  const env = { HOLDFAST_DIR: state, HOME: join(base, 'home'), PROJECT_TOKEN: 'token-of-the-user' };
  const ledger = join(state, 'holdfast', 'calls', 'calls.db');
  return {
    base,
    dir,
    ledger,
    harm: { command: process.execPath, args: ['-e', `require('node:fs').writeFileSync(${JSON.stringify(mark)}, '')`] },
    get isHarmed() {
      return existsSync(mark);
    },
    async write(path, content) {
      const whole = join(dir, path);
      await mkdir(dirname(whole), { recursive: true });
      await writeFile(whole, typeof content === 'string' ? content : JSON.stringify({ mcpServers: content }));
      return whole;
    },
    run: (...argv) => runCli(withMark(argv), env, dir),
    runIn: (folder, ...argv) => runCli(withMark(argv), env, folder),
    async plant(call, path = ledger) {
      const kept = openSqliteLedger({ path });
      const id = `018f0000-0000-7000-8000-${String(Math.random()).slice(2, 14).padEnd(12, '0')}`;
      await kept.create({ callId: id, server: 'demo', tool: 't', args: {}, owner: NOBODY, createdAt: 1, ...call });
      await kept.close();
    },
  };
}
