/** The commands of the file monitor. */
import type { Command, CommandContext } from '../../command-line/command.ts';
import type { OptionTable } from '../../command-line/option.ts';
import { LISTENING, MONITOR, SHARED } from '../../command-line/shared-options.ts';

const monitorSyncOptions = {
  recursive: { type: 'boolean', short: 'r', help: 'Scan subdirectories too' },
  rehash: { type: 'boolean', help: 'Hash files even if size and time are unchanged' },
  ...MONITOR,
} as const satisfies OptionTable;

export type MonitorSyncContext = CommandContext<typeof monitorSyncOptions>;

export const monitorSync: Command<typeof monitorSyncOptions> = {
  name: 'monitor sync',
  summary: 'Update the monitor database from a file or directory',
  positionals: ['PATH'],
  options: monitorSyncOptions,
  run: async (context) => (await import('./run-monitor.ts')).syncPath(context),
};

export const monitorStatus: Command<typeof MONITOR> = {
  name: 'monitor status',
  summary: 'Show the number of tracked files and the result of the last sync',
  positionals: [],
  options: MONITOR,
  run: async (context) => (await import('./run-monitor.ts')).showStatus(context),
};

export const monitorCheck: Command<typeof MONITOR> = {
  name: 'monitor check',
  summary: 'Show whether a path is monitored, and why',
  positionals: ['PATH'],
  options: MONITOR,
  run: async (context) => (await import('./run-monitor.ts')).checkPath(context),
};

export const filterShow: Command<typeof MONITOR> = {
  name: 'monitor filter show',
  summary: 'Show the include and exclude lists',
  positionals: [],
  options: MONITOR,
  run: async (context) => (await import('./run-monitor.ts')).showFilters(context),
};

export const filterAdd: Command<typeof MONITOR> = {
  name: 'monitor filter add',
  summary: 'Add a value to a list: include_paths, exclude_globs and so on',
  positionals: ['LIST', 'VALUE'],
  options: MONITOR,
  run: async (context) => (await import('./run-monitor.ts')).addFilter(context),
};

export const filterRemove: Command<typeof MONITOR> = {
  name: 'monitor filter remove',
  summary: 'Remove a value from a list',
  positionals: ['LIST', 'VALUE'],
  options: MONITOR,
  run: async (context) => (await import('./run-monitor.ts')).removeFilter(context),
};

export const priorityShow: Command<typeof MONITOR> = {
  name: 'monitor priority show',
  summary: 'Show the priorities of directories',
  positionals: [],
  options: MONITOR,
  run: async (context) => (await import('./run-monitor.ts')).showPriorities(context),
};

export const priorityAdd: Command<typeof MONITOR> = {
  name: 'monitor priority add',
  summary: 'Set the priority of the files in a directory',
  positionals: ['PATH', 'PRIORITY'],
  options: MONITOR,
  run: async (context) => (await import('./run-monitor.ts')).addPriority(context),
};

export const priorityRemove: Command<typeof MONITOR> = {
  name: 'monitor priority remove',
  summary: 'Remove the priority of a directory',
  positionals: ['PATH'],
  options: MONITOR,
  run: async (context) => (await import('./run-monitor.ts')).removePriority(context),
};

const monitorOptions = {
  ...LISTENING,
  'bare-jobs': {
    type: 'boolean',
    help: 'Return bare { success, data, messages }, for clients that support two-stage jobs but not tool results',
  },
  'state-root': SHARED['state-root'],
  ...MONITOR,
} as const satisfies OptionTable;

export type MonitorContext = CommandContext<typeof monitorOptions>;

export const monitor: Command<typeof monitorOptions> = {
  name: 'monitor',
  summary: 'Serve the file monitor as MCP tools',
  positionals: [],
  options: monitorOptions,
  run: async (context) => (await import('./run-monitor.ts')).serveMonitor(context),
};

export const monitorCommands: readonly Command[] = [
  monitorSync,
  monitorStatus,
  monitorCheck,
  filterShow,
  filterAdd,
  filterRemove,
  priorityShow,
  priorityAdd,
  priorityRemove,
  monitor,
];
