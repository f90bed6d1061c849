import { wantsJson } from './command-line/parse.ts';
import { loadCommands } from './commands/commands.ts';
import { parseCommandLine, type Request } from './commands/parse-command-line.ts';
import { reportFailure } from './failure.ts';
import { tolerateBrokenPipes } from './terminal/broken-pipes.ts';
import { createTerminal, type Terminal } from './terminal/terminal.ts';
import { readVersion } from './version.ts';

/** Runs a command line and returns its exit code; failures are printed, never thrown. */
export async function runCommandLine(argv: readonly string[]): Promise<number> {
  tolerateBrokenPipes();
  const terminal = createTerminal({ json: wantsJson(argv) });
  try {
    return await serve(await parseCommandLine(argv), terminal);
  } catch (error) {
    return reportFailure(error, terminal);
  }
}

async function serve(request: Request, terminal: Terminal): Promise<number> {
  switch (request.kind) {
    case 'help':
      terminal.print(request.text.trimEnd());
      return 0;
    case 'version':
      terminal.print(readVersion());
      return 0;
    case 'run': {
      const { command, args, rest, values } = request;
      if (command.positionals.includes('[JSON]')) hideArguments(command.name);
      return command.run({ args, rest, values, terminal, listCommands: () => loadCommands(undefined) });
    }
  }
}

/** Hides this process's arguments from the process list, which every user of the machine can read. */
function hideArguments(command: string): void {
  process.title = `holdfast ${command}`;
}
