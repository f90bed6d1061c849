/** The commands that serve the servers included in Holdfast, and that run workers for other programs. */

import { resolve } from 'node:path';
import { SANDBOXES } from '../../../apps/codex/sandbox-modes.ts';
import { TaskError } from '../../../errors.ts';
import type { Command, CommandContext } from '../../command-line/command.ts';
import type { OptionTable } from '../../command-line/option.ts';
import { COMMON, LISTENING, SHARED } from '../../command-line/shared-options.ts';

const demoOptions = {
  ...LISTENING,
  conformance: {
    type: 'boolean',
    help: 'Also serve what the official MCP suite asks for: many more tools, prompts, resources',
  },
  store: {
    type: 'string',
    value: 'ADDRESS',
    help: 'Keep the tasks in this postgres:// database (default: a file in the state directory)',
  },
  'state-root': SHARED['state-root'],
  ...COMMON,
} as const satisfies OptionTable;

export type DemoContext = CommandContext<typeof demoOptions>;

export const demo: Command<typeof demoOptions> = {
  name: 'demo',
  summary: 'Serve eight MCP tools to try clients on: slow ones, and some that ask, fail, stream or run a program',
  positionals: [],
  options: demoOptions,
  run: async (context) => (await import('./serve-demo.ts')).serveDemo(context),
};

const codexOptions = {
  ...LISTENING,
  codex: { type: 'string', value: 'PATH', help: 'The codex program (default: $HOLDFAST_CODEX, else codex on PATH)' },
  root: {
    type: 'string',
    multiple: true,
    value: 'DIR',
    help: 'A directory in which calls may choose where Codex works, beside the one it is started in; may be repeated',
    parse: (text: string, option: string) => resolve(parseDirectory(text, option)),
  },
  'data-dir': {
    type: 'string',
    value: 'DIR',
    help: 'Where the state file lies (default: what the call or the environment says, else the state directory)',
    parse: parseDirectory,
  },
  sandbox: {
    type: 'string',
    value: 'MODE',
    help: 'What Codex may touch: read-only, workspace-write (default) or danger-full-access',
    choices: SANDBOXES,
    parse: parseSandbox,
  },
  model: { type: 'string', value: 'MODEL', help: "The model (default: Codex's own choice)", parse: parseModel },
  config: SHARED.config,
  'require-task-id': { type: 'boolean', help: 'Refuse calls of slow tools that have no taskId in _meta' },
  'state-root': SHARED['state-root'],
  ...COMMON,
} as const satisfies OptionTable;

export type CodexContext = CommandContext<typeof codexOptions>;

export const codex: Command<typeof codexOptions> = {
  name: 'codex',
  summary: 'Serve Codex as MCP tools: runs in windows, streamed or answered when they end',
  positionals: [],
  options: codexOptions,
  run: async (context) => (await import('./serve-codex.ts')).serveCodex(context),
};

const workerOptions = { ...COMMON } as const satisfies OptionTable;

export type WorkerContext = CommandContext<typeof workerOptions>;

export const worker: Command<typeof workerOptions> = {
  name: 'worker',
  summary: 'Run the tasks of the program in a file, without serving it, until told to stop; its arguments after --',
  positionals: ['ENTRY'],
  options: workerOptions,
  takesCommandLine: true,
  run: async (context) => (await import('./run-worker.ts')).runWorker(context),
};

export const serveCommands: readonly Command[] = [demo, codex, worker];

function parseDirectory(text: string, option: string): string {
  if (text !== '') return text;
  throw new TaskError('USAGE', `${option} is ""; expected the path of a directory`);
}

function parseSandbox(text: string, option: string): (typeof SANDBOXES)[number] {
  const mode = SANDBOXES.find((one) => one === text);
  if (mode !== undefined) return mode;
  throw new TaskError('USAGE', `${option} is ${JSON.stringify(text)}; expected ${SANDBOXES.join(', ')}`);
}

function parseModel(text: string, option: string): string {
  if (text.trim() !== '' && !text.startsWith('-')) return text;
  throw new TaskError('USAGE', `${option} is ${JSON.stringify(text)}; expected the name of a model`);
}
