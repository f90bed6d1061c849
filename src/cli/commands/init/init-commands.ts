/** The command that creates a new server. */
import type { Command, CommandContext } from '../../command-line/command.ts';
import type { OptionTable } from '../../command-line/option.ts';
import { COMMON } from '../../command-line/shared-options.ts';

const initOptions = {
  name: { type: 'string', value: 'NAME', help: 'Server name (default: name of the directory)' },
  ...COMMON,
} as const satisfies OptionTable;

export type InitContext = CommandContext<typeof initOptions>;

export const init: Command<typeof initOptions> = {
  name: 'init',
  summary: 'Create a TypeScript server with one slow tool, its test and client settings, here or in DIR',
  positionals: ['[DIR]'],
  options: initOptions,
  run: async (context) => (await import('./make-server.ts')).makeServer(context),
};

export const initCommands: readonly Command[] = [init];
