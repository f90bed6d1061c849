import { wantsJson } from '../../src/cli/command-line/parse.ts';
import { parseCommandLine } from '../../src/cli/commands/parse-command-line.ts';
import { reportFailure } from '../../src/cli/failure.ts';
import type { Keyboard } from '../../src/cli/terminal/keyboard.ts';
import type { Terminal } from '../../src/cli/terminal/terminal.ts';
import type { CliResult } from './run-cli.ts';

const NOBODY: Keyboard = {
  canAsk: false,
  isAsking: false,
  ask: async () => undefined,
  askKey: async () => undefined,
  lend: (use) => use(),
  onInterrupt: () => () => {},
};

/** Runs a command line in this process, which is much faster than in one of its own. */
export async function runHere(argv: readonly string[], keyboard = NOBODY): Promise<CliResult> {
  const out: string[] = [];
  const remarks: string[] = [];
  const terminal: Terminal = {
    json: wantsJson(argv),
    isTty: false,
    columns: 80,
    keyboard,
    print: (line) => void out.push(`${line}\n`),
    printText: (text) => void out.push(`${text}\n`),
    printJson: (value) => void out.push(`${JSON.stringify(value)}\n`),
    remark: (line) => void remarks.push(`${line}\n`),
    paint: (_style, text) => text,
  };
  const code = await run(argv, terminal).catch((error: unknown) => reportFailure(error, terminal));
  return { code, stdout: out.join(''), stderr: remarks.join('') };
}

async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const request = await parseCommandLine(argv);
  if (request.kind !== 'run') throw new Error(`${argv.join(' ')} runs nothing`);
  const { command, args, rest, values } = request;
  return command.run({ args, rest, values, terminal, listCommands: async () => [command] });
}
