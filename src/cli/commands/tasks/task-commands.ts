/** The commands on a store and its tasks. */
import { statuses } from '../../../task/status.ts';
import type { Command, CommandContext } from '../../command-line/command.ts';
import { parseDuration } from '../../command-line/duration.ts';
import type { OptionTable } from '../../command-line/option.ts';
import { parseChoice, parseWhole } from '../../command-line/parse-value.ts';
import { COMMON, SHARED, STORE, STORES } from '../../command-line/shared-options.ts';

const tasksListOptions = {
  ...STORES,
  status: {
    type: 'string',
    value: 'STATUS',
    help: 'Only tasks in this status: queued, working, input_required, completed, failed or cancelled',
    choices: statuses,
    parse: (text: string, option: string) => parseChoice(text, option, statuses),
  },
  tool: SHARED.tool,
  principal: SHARED.principal,
  limit: {
    type: 'string',
    value: 'N',
    help: 'Maximum number of tasks, 1 to 1000 (default 20)',
    parse: (text: string, option: string) => parseWhole(text, option, { from: 1, to: 1000 }),
  },
  all: SHARED.all,
  ...COMMON,
} as const satisfies OptionTable;

export type TasksListContext = CommandContext<typeof tasksListOptions>;

export const tasksList: Command<typeof tasksListOptions> = {
  name: 'tasks list',
  summary: 'List tasks, newest first',
  positionals: [],
  options: tasksListOptions,
  run: async (context) => (await import('./list-tasks.ts')).listTasks(context),
};

const tasksShowOptions = {
  ...STORES,
  ...COMMON,
} as const satisfies OptionTable;

export type TasksShowContext = CommandContext<typeof tasksShowOptions>;

export const tasksShow: Command<typeof tasksShowOptions> = {
  name: 'tasks show',
  summary: 'Show one task in full',
  positionals: ['TASK'],
  options: tasksShowOptions,
  run: async (context) => (await import('./show-task.ts')).showTask(context),
};

const tasksTailOptions = {
  ...STORES,
  after: {
    type: 'string',
    value: 'SEQ',
    help: 'Only events after this sequence number (default 0)',
    parse: (text: string, option: string) => parseWhole(text, option, { from: 0, to: Number.MAX_SAFE_INTEGER }),
  },
  ...COMMON,
} as const satisfies OptionTable;

export type TasksTailContext = CommandContext<typeof tasksTailOptions>;

export const tasksTail: Command<typeof tasksTailOptions> = {
  name: 'tasks tail',
  summary: 'Follow the events of a task until it ends',
  positionals: ['TASK'],
  options: tasksTailOptions,
  run: async (context) => (await import('./tail-task.ts')).tailTask(context),
};

const tasksAnswerOptions = {
  ...STORES,
  decline: { type: 'boolean', help: 'Decline the question instead of answering it' },
  cancel: SHARED.cancel,
  ...COMMON,
} as const satisfies OptionTable;

export type TasksAnswerContext = CommandContext<typeof tasksAnswerOptions>;

export const tasksAnswer: Command<typeof tasksAnswerOptions> = {
  name: 'tasks answer',
  summary:
    'Answer an open question; - reads the JSON from stdin, without JSON you are asked; KEY is required if several are open',
  positionals: ['TASK', '[KEY]', '[JSON]'],
  options: tasksAnswerOptions,
  run: async (context) => (await import('./answer-question.ts')).answerQuestion(context),
};

const tasksCancelOptions = {
  ...STORES,
  reason: SHARED.reason,
  ...COMMON,
} as const satisfies OptionTable;

export type TasksCancelContext = CommandContext<typeof tasksCancelOptions>;

export const tasksCancel: Command<typeof tasksCancelOptions> = {
  name: 'tasks cancel',
  summary: 'Cancel a task',
  positionals: ['TASK'],
  options: tasksCancelOptions,
  run: async (context) => (await import('./cancel-task.ts')).cancelTask(context),
};

const tasksPruneOptions = {
  ...STORE,
  'older-than': {
    type: 'string',
    value: 'AGE',
    help: 'Also delete tasks that ended this long ago, regardless of their TTL: 90s, 15m, 1h, 7d',
    parse: (text: string, option: string) => ({ text, ms: parseDuration(text, option) }),
  },
  tombstones: { type: 'boolean', help: 'Also delete tombstones (with --older-than: only those of that age)' },
  ...COMMON,
} as const satisfies OptionTable;

export type TasksPruneContext = CommandContext<typeof tasksPruneOptions>;

export const tasksPrune: Command<typeof tasksPruneOptions> = {
  name: 'tasks prune',
  summary: 'Delete finished tasks whose TTL has expired',
  positionals: [],
  options: tasksPruneOptions,
  run: async (context) => (await import('./prune-tasks.ts')).pruneTasks(context),
};

const tasksAdoptOptions = {
  ...STORE,
  all: SHARED.all,
  ...COMMON,
} as const satisfies OptionTable;

export type TasksAdoptContext = CommandContext<typeof tasksAdoptOptions>;

export const tasksAdopt: Command<typeof tasksAdoptOptions> = {
  name: 'tasks adopt',
  summary: 'Reassign tasks whose program is no longer served to the newest program of the same name',
  positionals: ['[TASK...]'],
  options: tasksAdoptOptions,
  run: async (context) => (await import('./adopt-tasks.ts')).adoptTasks(context),
};

const storeRekeyOptions = {
  ...STORE,
  ledger: SHARED.ledger,
  vacuum: {
    type: 'boolean',
    help: 'Rewrite the file afterwards to remove old copies of payloads; blocks other processes meanwhile',
  },
  ...COMMON,
} as const satisfies OptionTable;

export type StoreRekeyContext = CommandContext<typeof storeRekeyOptions>;

export const storeRekey: Command<typeof storeRekeyOptions> = {
  name: 'store rekey',
  summary: 'Encrypt every payload with the first key of the key file, including those stored in clear text',
  positionals: [],
  options: storeRekeyOptions,
  run: async (context) => (await import('./rekey-store.ts')).rekeyStore(context),
};

const storeCopyOptions = { ...COMMON } as const satisfies OptionTable;

export type StoreCopyContext = CommandContext<typeof storeCopyOptions>;

export const storeCopy: Command<typeof storeCopyOptions> = {
  name: 'store copy',
  summary:
    'Move a store; FROM and TO are database files or postgres:// addresses; rerun to complete an interrupted copy',
  positionals: ['FROM', 'TO'],
  options: storeCopyOptions,
  run: async (context) => (await import('./copy-store.ts')).copyStore(context),
};

const storeReopenOptions = { ...COMMON } as const satisfies OptionTable;

export type StoreReopenContext = CommandContext<typeof storeReopenOptions>;

export const storeReopen: Command<typeof storeReopenOptions> = {
  name: 'store reopen',
  summary: 'Reopen a store that was closed by a copy',
  positionals: ['STORE'],
  options: storeReopenOptions,
  run: async (context) => (await import('./copy-store.ts')).reopenStore(context),
};

export const taskCommands: readonly Command[] = [
  tasksList,
  tasksShow,
  tasksTail,
  tasksAnswer,
  tasksCancel,
  tasksPrune,
  tasksAdopt,
  storeRekey,
  storeCopy,
  storeReopen,
];
