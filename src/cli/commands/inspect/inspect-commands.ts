/** The commands that show logs, and where data is stored. */
import type { Command, CommandContext } from '../../command-line/command.ts';
import type { OptionTable } from '../../command-line/option.ts';
import { COMMON, SHARED, STORES } from '../../command-line/shared-options.ts';

const logsOptions = {
  follow: { type: 'boolean', short: 'f', help: 'Also show what comes, until the task ends or Ctrl-C' },
  worker: { type: 'boolean', help: 'What the worker process of the task has printed, instead of the log of the task' },
  ...STORES,
  ...COMMON,
} as const satisfies OptionTable;

export type LogsContext = CommandContext<typeof logsOptions>;

export const logs: Command<typeof logsOptions> = {
  name: 'logs',
  summary: 'Show what a task has logged',
  positionals: ['TASK'],
  options: logsOptions,
  run: async (context) => (await import('./show-logs.ts')).showLogs(context),
};

const whereOptions = {
  ...STORES,
  ledger: SHARED.ledger,
  ...COMMON,
} as const satisfies OptionTable;

export type WhereContext = CommandContext<typeof whereOptions>;

export const where: Command<typeof whereOptions> = {
  name: 'where',
  summary: 'Show where everything lies: the stores of this user, with their tasks and workers, and the calls',
  positionals: [],
  options: whereOptions,
  run: async (context) => (await import('./show-places.ts')).showPlaces(context),
};

export const inspectCommands: readonly Command[] = [logs, where];
