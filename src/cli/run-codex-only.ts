import { toHelp } from './command-line/help.ts';
import { parseCommandLine, wantsJson } from './command-line/parse.ts';
import { serveCodex } from './commands/codex.ts';
import { reportFailure } from './failure.ts';
import { tolerateBrokenPipes } from './terminal/broken-pipes.ts';
import { createTerminal } from './terminal/terminal.ts';
import { readVersion } from './version.ts';

const COMMAND = 'codex';

/**
 * Runs the one command of a program that serves Codex and does nothing else; failures are printed, never thrown. No run may
 * write to the program's own directory.
 */
export async function runCodexOnly(options: readonly string[], program: string): Promise<number> {
  tolerateBrokenPipes();
  const terminal = createTerminal({ json: wantsJson(options) });
  try {
    const request = parseCommandLine([COMMAND, ...options]);
    if (request.kind === 'run')
      return await serveCodex({ ...request, terminal, version: readVersion(), guarded: [program] });
    terminal.print(request.kind === 'help' ? toHelp(COMMAND).trimEnd() : readVersion());
    return 0;
  } catch (error) {
    return reportFailure(error, terminal);
  }
}
