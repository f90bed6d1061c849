import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { builtPath } from '../programs/program-path.js';

const main = builtPath('cli/main.js');

/** Starts the built command line as a process of its own. */
export function startCli(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  cwd = process.cwd(),
): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [main, ...args], { cwd, env: { ...process.env, NODE_NO_WARNINGS: '1', ...env } });
}

/** A command line whose servers carry the mark by which processes are found that a test has left behind. */
export function withMark(argv: readonly string[]): readonly string[] {
  const [command = '', ...rest] = argv;
  return command === 'call' ? [command, '--pass-env=HOLDFAST_TEST_FILE', ...rest] : argv;
}

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs it to its end. */
export async function runCli(args: readonly string[], env?: NodeJS.ProcessEnv, cwd?: string): Promise<CliResult> {
  const child = startCli(args, env, cwd);
  const code = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, stdout, stderr };
}
