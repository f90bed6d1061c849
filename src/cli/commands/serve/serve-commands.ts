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
    help: 'Also serve what the official MCP conformance suite requires: many more tools, prompts, resources',
  },
  store: {
    type: 'string',
    value: 'ADDRESS',
    help: 'Store the tasks in this postgres:// database (default: a file in the state directory)',
  },
  'state-root': SHARED['state-root'],
  ...COMMON,
} as const satisfies OptionTable;

export type DemoContext = CommandContext<typeof demoOptions>;

export const demo: Command<typeof demoOptions> = {
  name: 'demo',
  summary: 'Serve eight MCP tools for trying out clients: slow ones, and some that ask, fail, stream or run a program',
  positionals: [],
  options: demoOptions,
  run: async (context) => (await import('./serve-demo.ts')).serveDemo(context),
};

const codexOptions = {
  ...LISTENING,
  codex: {
    type: 'string',
    value: 'PATH',
    help: 'Path of the codex program (default: $HOLDFAST_CODEX, else codex on PATH)',
  },
  root: {
    type: 'string',
    multiple: true,
    value: 'DIR',
    help: 'Directory in which calls may run Codex, in addition to the one it is started in; may be repeated',
    parse: (text: string, option: string) => resolve(parseDirectory(text, option)),
  },
  'data-dir': {
    type: 'string',
    value: 'DIR',
    help: 'Directory of the state file (default: from the call or the environment, else the state directory)',
    parse: parseDirectory,
  },
  sandbox: {
    type: 'string',
    value: 'MODE',
    help: 'Sandbox mode of Codex: read-only, workspace-write (default) or danger-full-access',
    choices: SANDBOXES,
    parse: parseSandbox,
  },
  model: { type: 'string', value: 'MODEL', help: 'Model (default: chosen by Codex)', parse: parseModel },
  config: SHARED.config,
  'require-task-id': { type: 'boolean', help: 'Reject calls of slow tools without a taskId in _meta' },
  'state-root': SHARED['state-root'],
  ...COMMON,
} as const satisfies OptionTable;

export type CodexContext = CommandContext<typeof codexOptions>;

export const codex: Command<typeof codexOptions> = {
  name: 'codex',
  summary: 'Serve Codex as MCP tools: run it in windows, with results streamed or returned at the end',
  positionals: [],
  options: codexOptions,
  run: async (context) => (await import('./serve-codex.ts')).serveCodex(context),
};

const workerOptions = { ...COMMON } as const satisfies OptionTable;

export type WorkerContext = CommandContext<typeof workerOptions>;

export const worker: Command<typeof workerOptions> = {
  name: 'worker',
  summary: 'Run the tasks of the program in file ENTRY without serving it, until stopped; pass its arguments after --',
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
