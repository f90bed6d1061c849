/** The command that lists servers and their tools. */
import type { Command, CommandContext } from '../../command-line/command.ts';
import type { OptionTable } from '../../command-line/option.ts';
import { COMMON, SHARED } from '../../command-line/shared-options.ts';

const toolsOptions = {
  url: SHARED.url,
  plugin: SHARED.plugin,
  app: SHARED.app,
  'pass-env': SHARED['pass-env'],
  trust: SHARED.trust,
  ...COMMON,
} as const satisfies OptionTable;

export type ToolsContext = CommandContext<typeof toolsOptions>;

export const tools: Command<typeof toolsOptions> = {
  name: 'tools',
  summary:
    'List the tools of a server in holdfast.json or .mcp.json, or of a command after --; without either, list the servers',
  positionals: ['[SERVER]'],
  options: toolsOptions,
  takesCommandLine: true,
  run: async (context) => (await import('./list-tools.ts')).listTools(context),
};

export const toolsCommands: readonly Command[] = [tools];
