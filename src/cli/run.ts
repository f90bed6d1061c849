import { hideArguments } from './command-line/given-json.ts';
import { toHelp } from './command-line/help.ts';
import { type CommandName, getCommand } from './command-line/options.ts';
import { parseCommandLine, type Request, wantsJson } from './command-line/parse.ts';
import type { CallCommand } from './commands/call.ts';
import type { MonitorCommand } from './commands/monitor.ts';
import type { PromptCommand } from './commands/prompts.ts';
import { reportFailure } from './failure.ts';
import { createTerminal, type Terminal } from './terminal/terminal.ts';
import { readVersion } from './version.ts';

/** Runs a command line and returns its exit code; failures are printed, never thrown. */
export async function runCommandLine(argv: readonly string[]): Promise<number> {
  const terminal = createTerminal({ json: wantsJson(argv) });
  try {
    return await serve(parseCommandLine(argv), terminal);
  } catch (error) {
    return reportFailure(error, terminal);
  }
}

async function serve(request: Request, terminal: Terminal): Promise<number> {
  switch (request.kind) {
    case 'help':
      terminal.print(toHelp(request.about).trimEnd());
      return 0;
    case 'version':
      terminal.print(readVersion());
      return 0;
    case 'run':
      return runCommand(request, terminal);
  }
}

async function runCommand(
  { command, args, rest, values }: Extract<Request, { kind: 'run' }>,
  terminal: Terminal,
): Promise<number> {
  if (getCommand(command).positionals.some((name) => name === '[JSON]')) hideArguments(command);
  if (command === 'demo') {
    // Each is loaded when it is called for: a client waits for those that serve.
    const { serveDemo } = await import('./commands/demo.ts');
    return serveDemo({ values, terminal, version: readVersion() });
  }
  if (command === 'codex') {
    const { serveCodex } = await import('./commands/codex.ts');
    return serveCodex({ values, terminal, version: readVersion() });
  }
  if (command === 'store rekey') {
    const { rekeyStore } = await import('./commands/store-rekey.ts');
    return rekeyStore(values, terminal);
  }
  if (command === 'soak' || command === 'closure') {
    const { runCampaign } = await import('./commands/soak.ts');
    return runCampaign(command, { rest, values, terminal });
  }
  if (command === 'chaos') {
    const { runChaosCommand } = await import('./commands/chaos.ts');
    return runChaosCommand({ rest, values, terminal });
  }
  if (isMonitorCommand(command)) {
    const { runMonitor } = await import('./commands/monitor.ts');
    return runMonitor(command, { args, values, terminal, version: readVersion() });
  }
  if (isCallCommand(command)) {
    const { runCalls } = await import('./commands/call.ts');
    return runCalls(command, { args, rest, values, terminal });
  }
  if (isPromptCommand(command)) {
    const { runPrompts } = await import('./commands/prompts.ts');
    return runPrompts(command, { args, values, terminal });
  }
  const { runTasks } = await import('./commands/tasks.ts');
  return runTasks(command, { args, values, terminal });
}

function isCallCommand(command: CommandName): command is CallCommand {
  return command === 'call' || command.startsWith('calls ');
}

function isPromptCommand(command: CommandName): command is PromptCommand {
  return command.startsWith('prompts ');
}

function isMonitorCommand(command: CommandName): command is MonitorCommand {
  return command.split(' ')[0] === 'monitor';
}
