import { wantsJson } from '../../dist/cli/command-line/parse.js';
import { parseCommandLine } from '../../dist/cli/commands/parse-command-line.js';
import { reportFailure } from '../../dist/cli/failure.js';
import type { Keyboard } from '../../dist/cli/terminal/keyboard.js';
import { createTerminal, type Terminal } from '../../dist/cli/terminal/terminal.js';
import type { CliResult } from './run-cli.ts';

const NOBODY: Keyboard = {
  canAsk: false,
  isAsking: false,
  ask: async () => undefined,
  askKey: async () => undefined,
  lend: (use) => use(),
  onInterrupt: () => () => {},
};

/** Runs a command line in this process, which is much faster than in one of its own; it prints as it does to pipes. */
export async function runHere(argv: readonly string[], keyboard = NOBODY): Promise<CliResult> {
  const [stdout, stderr] = [openPipe(), openPipe()];
  const terminal = { ...createTerminal({ json: wantsJson(argv), stdout, stderr }), keyboard };
  const code = await run(argv, terminal).catch((error: unknown) => reportFailure(error, terminal));
  return { code, stdout: stdout.written.join(''), stderr: stderr.written.join('') };
}

/** The same with variables that are put back afterwards. The whole process sees them: one run at a time. */
export async function runHereWith(
  env: Readonly<Record<string, string>>,
  argv: readonly string[],
  keyboard = NOBODY,
): Promise<CliResult> {
  const before = Object.keys(env).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, env);
  try {
    return await runHere(argv, keyboard);
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}

/** What a process of its own would have for its output, as far as a terminal looks at it. */
function openPipe(): NodeJS.WriteStream & { readonly written: readonly string[] } {
  const written: string[] = [];
  const pipe = { isTTY: false, written, write: (text: string) => written.push(text) };
  return pipe as unknown as ReturnType<typeof openPipe>;
}

async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const request = await parseCommandLine(argv);
  if (request.kind !== 'run') throw new Error(`${argv.join(' ')} runs nothing`);
  const { command, args, rest, values } = request;
  return command.run({ args, rest, values, terminal, listCommands: async () => [command] });
}
