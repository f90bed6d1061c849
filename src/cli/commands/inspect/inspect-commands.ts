/** The commands that show logs, and where data is stored. */
import type { Command, CommandContext } from '../../command-line/command.ts';
import type { OptionTable } from '../../command-line/option.ts';
import { COMMON, SHARED, STORES } from '../../command-line/shared-options.ts';

const logsOptions = {
  follow: { type: 'boolean', short: 'f', help: 'Keep printing new entries until the task ends or Ctrl-C' },
  worker: { type: 'boolean', help: 'Show the output of the worker process instead of the task log' },
  ...STORES,
  ...COMMON,
} as const satisfies OptionTable;

export type LogsContext = CommandContext<typeof logsOptions>;

export const logs: Command<typeof logsOptions> = {
  name: 'logs',
  summary: 'Show the log of a task',
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
  summary: 'Show where everything is stored: the stores of this user, with their tasks and workers, and the calls',
  positionals: [],
  options: whereOptions,
  run: async (context) => (await import('./show-places.ts')).showPlaces(context),
};

export const inspectCommands: readonly Command[] = [logs, where];
