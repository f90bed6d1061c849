/** The commands on a prompt log. */
import type { Command, CommandContext } from '../../command-line/command.ts';
import type { OptionTable } from '../../command-line/option.ts';
import { parseWhole } from '../../command-line/parse-value.ts';
import { PROMPTS, SHARED } from '../../command-line/shared-options.ts';

const promptsListOptions = {
  all: SHARED.all,
  ...PROMPTS,
} as const satisfies OptionTable;

export type PromptsListContext = CommandContext<typeof promptsListOptions>;

export const promptsList: Command<typeof promptsListOptions> = {
  name: 'prompts list',
  summary: 'List open questions from apps, then unread results',
  positionals: [],
  options: promptsListOptions,
  run: async (context) => (await import('./list-prompts.ts')).listPrompts(context),
};

const promptsAnswerOptions = {
  cancel: SHARED.cancel,
  ...PROMPTS,
} as const satisfies OptionTable;

export type PromptsAnswerContext = CommandContext<typeof promptsAnswerOptions>;

export const promptsAnswer: Command<typeof promptsAnswerOptions> = {
  name: 'prompts answer',
  summary: 'Answer a prompt; - reads the JSON from stdin, without JSON you are asked',
  positionals: ['REQUEST', '[JSON]'],
  options: promptsAnswerOptions,
  run: async (context) => (await import('./answer-prompt.ts')).answerPrompt(context),
};

const promptsTailOptions = {
  follow: { type: 'boolean', short: 'f', help: 'Keep printing new entries until Ctrl-C' },
  lines: {
    type: 'string',
    short: 'n',
    value: 'N',
    help: 'Number of existing entries to show, 0 to 1000000 (default 10)',
    parse: (text: string, option: string) => parseWhole(text, option, { from: 0, to: 1_000_000 }),
  },
  ...PROMPTS,
} as const satisfies OptionTable;

export type PromptsTailContext = CommandContext<typeof promptsTailOptions>;

export const promptsTail: Command<typeof promptsTailOptions> = {
  name: 'prompts tail',
  summary: 'Show the last entries of a prompt log',
  positionals: [],
  options: promptsTailOptions,
  run: async (context) => (await import('./tail-prompts.ts')).tailPrompts(context),
};

const promptsExplainOptions = {
  ledger: SHARED.ledger,
  ...PROMPTS,
} as const satisfies OptionTable;

export type PromptsExplainContext = CommandContext<typeof promptsExplainOptions>;

export const promptsExplain: Command<typeof promptsExplainOptions> = {
  name: 'prompts explain',
  summary: 'Explain why the result of a task is not found in the prompt log',
  positionals: ['TASKID'],
  options: promptsExplainOptions,
  run: async (context) => (await import('./explain-prompt.ts')).explainPrompt(context),
};

export const promptCommands: readonly Command[] = [promptsList, promptsAnswer, promptsTail, promptsExplain];
