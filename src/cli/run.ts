import { readFileSync } from 'node:fs';
import { createAccess } from '../engine/access.ts';
import { type TaskError, toTaskError } from '../errors.ts';
import type { Command } from './command.ts';
import type { CallCommand } from './commands/call.ts';
import { type MonitorCommand, runMonitor } from './commands/monitor.ts';
import { tasksAnswer } from './commands/tasks-answer.ts';
import { tasksCancel } from './commands/tasks-cancel.ts';
import { tasksList } from './commands/tasks-list.ts';
import { tasksPrune } from './commands/tasks-prune.ts';
import { tasksShow } from './commands/tasks-show.ts';
import { tasksTail } from './commands/tasks-tail.ts';
import { toPlainText } from './format.ts';
import { toHelp } from './help.ts';
import { openStore } from './open-store.ts';
import type { CommandName } from './options.ts';
import { parseCommandLine, type Request, wantsJson } from './parse.ts';
import { createTerminal, type Terminal } from './terminal.ts';

const STORE_COMMANDS: Readonly<Record<Exclude<CommandName, 'demo' | MonitorCommand | CallCommand>, Command>> = {
  'tasks list': tasksList,
  'tasks show': tasksShow,
  'tasks tail': tasksTail,
  'tasks answer': tasksAnswer,
  'tasks cancel': tasksCancel,
  'tasks prune': tasksPrune,
};

/** Runs a command line and returns its exit code; failures are printed, never thrown. */
export async function runCommandLine(argv: readonly string[]): Promise<number> {
  const terminal = createTerminal({ json: wantsJson(argv) });
  try {
    return await serve(parseCommandLine(argv), terminal);
  } catch (error) {
    const failure = toTaskError(error);
    terminal.remark(terminal.json ? toJsonLine(failure) : `holdfast: ${toHumanLine(failure)}`);
    return failure.traits.exit;
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
  if (command === 'demo') {
    // Commands that serve need the MCP SDK, which takes longer to load than the others take to run.
    const { serveDemo } = await import('./commands/demo.ts');
    return serveDemo({ values, terminal, version: readVersion() });
  }
  if (isMonitorCommand(command)) return runMonitor(command, { args, values, terminal, version: readVersion() });
  if (isCallCommand(command)) {
    const { runCalls } = await import('./commands/call.ts');
    return runCalls(command, { args, rest, values, terminal });
  }
  const { readOnly, run } = STORE_COMMANDS[command];
  const store = await openStore(values, { readOnly });
  try {
    return await run({ store, access: createAccess(store), args, values, terminal });
  } finally {
    await store.close();
  }
}

function isCallCommand(command: CommandName): command is CallCommand {
  return command === 'call' || command.startsWith('calls ');
}

function isMonitorCommand(command: CommandName): command is MonitorCommand {
  return command.split(' ')[0] === 'monitor';
}

function readVersion(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

function toJsonLine(failure: TaskError): string {
  const { code, message } = failure;
  return JSON.stringify({ code, message, cause: toCauseText(failure) });
}

// An internal error hides its text from peers; the operator may see it.
function toHumanLine(failure: TaskError): string {
  const cause = failure.code === 'INTERNAL' ? toCauseText(failure) : null;
  return toPlainText(cause === null ? failure.message : `${failure.message}: ${cause}`);
}

function toCauseText({ cause }: TaskError): string | null {
  if (cause === undefined) return null;
  return cause instanceof Error ? cause.message : String(cause);
}
