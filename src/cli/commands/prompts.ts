import type { CommandName, OptionValues } from '../command-line/options.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { answerPrompt } from './prompts-answer.ts';
import { explainPrompt } from './prompts-explain.ts';
import { listPrompts } from './prompts-list.ts';
import { tailPrompts } from './prompts-tail.ts';

export interface PromptContext {
  readonly args: readonly string[];
  readonly values: OptionValues;
  readonly terminal: Terminal;
}

/** The commands on a log of prompts. */
export type PromptCommand = Extract<CommandName, `prompts ${string}`>;

const RUNS: Readonly<Record<PromptCommand, (context: PromptContext) => Promise<number>>> = {
  'prompts list': listPrompts,
  'prompts answer': answerPrompt,
  'prompts tail': tailPrompts,
  'prompts explain': explainPrompt,
};

export function runPrompts(command: PromptCommand, context: PromptContext): Promise<number> {
  return RUNS[command](context);
}
