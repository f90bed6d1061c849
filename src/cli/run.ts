import { createAccess } from '../engine/access.ts';
import { findAudit } from '../engine/audit.ts';
import type { Command } from './command.ts';
import type { CallCommand } from './commands/call.ts';
import { type MonitorCommand, runMonitor } from './commands/monitor.ts';
import type { PromptCommand } from './commands/prompts.ts';
import { rekeyStore } from './commands/store-rekey.ts';
import { tasksAdopt } from './commands/tasks-adopt.ts';
import { tasksAnswer } from './commands/tasks-answer.ts';
import { tasksCancel } from './commands/tasks-cancel.ts';
import { tasksList } from './commands/tasks-list.ts';
import { tasksPrune } from './commands/tasks-prune.ts';
import { tasksShow } from './commands/tasks-show.ts';
import { tasksTail } from './commands/tasks-tail.ts';
import { reportFailure } from './failure.ts';
import { hideArguments } from './given-json.ts';
import { toHelp } from './help.ts';
import { openStore } from './open-store.ts';
import { type CommandName, getCommand } from './options.ts';
import { parseCommandLine, type Request, wantsJson } from './parse.ts';
import { createTerminal, type Terminal } from './terminal.ts';
import { readVersion } from './version.ts';

const STORE_COMMANDS: Readonly<
  Record<
    Exclude<
      CommandName,
      'demo' | 'codex' | 'soak' | 'closure' | 'chaos' | 'store rekey' | MonitorCommand | CallCommand | PromptCommand
    >,
    Command
  >
> = {
  'tasks list': tasksList,
  'tasks show': tasksShow,
  'tasks tail': tasksTail,
  'tasks answer': tasksAnswer,
  'tasks cancel': tasksCancel,
  'tasks prune': tasksPrune,
  'tasks adopt': tasksAdopt,
};

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
    // Commands that serve need the MCP SDK, which takes longer to load than the others take to run.
    const { serveDemo } = await import('./commands/demo.ts');
    return serveDemo({ values, terminal, version: readVersion() });
  }
  if (command === 'codex') {
    const { serveCodex } = await import('./commands/codex.ts');
    return serveCodex({ values, terminal, version: readVersion() });
  }
  if (command === 'store rekey') return rekeyStore(values, terminal);
  if (command === 'soak' || command === 'closure') {
    const { runCampaign } = await import('./commands/soak.ts');
    return runCampaign(command, { rest, values, terminal });
  }
  if (command === 'chaos') {
    const { runChaosCommand } = await import('./commands/chaos.ts');
    return runChaosCommand({ rest, values, terminal });
  }
  if (isMonitorCommand(command)) return runMonitor(command, { args, values, terminal, version: readVersion() });
  if (isCallCommand(command)) {
    const { runCalls } = await import('./commands/call.ts');
    return runCalls(command, { args, rest, values, terminal });
  }
  if (isPromptCommand(command)) {
    const { runPrompts } = await import('./commands/prompts.ts');
    return runPrompts(command, { args, values, terminal });
  }
  const { readOnly, run } = STORE_COMMANDS[command];
  const store = await openStore(values, { readOnly });
  try {
    const audit = readOnly ? undefined : findAudit(store.directory, (error) => void reportFailure(error, terminal));
    return await run({ store, audit, access: createAccess(store, { audit }), args, values, terminal });
  } finally {
    await store.close();
  }
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
