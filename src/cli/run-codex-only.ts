import { toCommandHelp } from './command-line/help.ts';
import { parseWords, wantsJson } from './command-line/parse.ts';
import { serveCodex } from './commands/serve/serve-codex.ts';
import { codex } from './commands/serve/serve-commands.ts';
import { reportFailure } from './failure.ts';
import { tolerateBrokenPipes } from './terminal/broken-pipes.ts';
import { createTerminal } from './terminal/terminal.ts';
import { readVersion } from './version.ts';

/**
 * Runs the only command of a program that serves Codex and nothing else; failures are printed, never thrown. Runs may not
 * write to the program's own directory.
 */
export async function runCodexOnly(options: readonly string[], program: string): Promise<number> {
  tolerateBrokenPipes();
  const terminal = createTerminal({ json: wantsJson(options) });
  try {
    const request = parseWords(codex, [codex.name, ...options]);
    if (request.kind === 'run') return await serveCodex({ ...request, terminal, guarded: [program] });
    terminal.print(request.kind === 'help' ? toCommandHelp(codex).trimEnd() : readVersion());
    return 0;
  } catch (error) {
    return reportFailure(error, terminal);
  }
}
