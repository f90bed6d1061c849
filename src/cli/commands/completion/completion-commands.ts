/** Commands for shell completion. */
import type { Command, CommandContext } from '../../command-line/command.ts';
import { COMMON } from '../../command-line/shared-options.ts';

const options = { help: COMMON.help } as const;
export type CompletionContext = CommandContext<typeof options>;

export const completionScript: Command<typeof options> = {
  name: 'completion script',
  summary: 'Print a completion script for bash, zsh or fish: eval "$(holdfast completion script bash)"',
  positionals: ['SHELL'],
  options,
  run: async (context) => (await import('./run-completion.ts')).printScript(context),
};

export const completionWords: Command<typeof options> = {
  name: 'completion words',
  summary: 'Print completions for the last word after --; used by the completion scripts',
  positionals: [],
  options,
  takesCommandLine: true,
  run: async (context) => (await import('./run-completion.ts')).printWords(context),
};

export const completionCommands: readonly Command[] = [completionScript, completionWords];
