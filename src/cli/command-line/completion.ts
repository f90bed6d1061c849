import type { Command } from './command.ts';
import type { Option, OptionTable } from './option.ts';
import { GLOBAL_OPTIONS } from './parse.ts';

/** What can follow at the cursor: one of some words, or any file or directory the shell finds. */
export type Completion =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'file' | 'directory' };

/** @param words the words after the program's name; the last one is still being typed and may be empty */
export function complete(commands: readonly Command[], words: readonly string[]): Completion {
  const typed = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  // The words after `--` are a server's command line; its own shell completion knows them.
  if (before.includes('--')) return { kind: 'file' };
  const positionals = listPositionals(commands, before);
  const command = commands.find(({ name }) => isBegin(name.split(' '), positionals));
  const options = command?.options ?? toAllOptions(commands);
  const last = findOption(options, before.at(-1));
  if (last?.type === 'string') return completeValue(last.value, last.choices, typed);
  if (typed.startsWith('-')) return toWords(listOptions(command?.options ?? GLOBAL_OPTIONS, before), typed);
  const next = listNextWords(commands, positionals);
  if (next.length > 0 || !command) return toWords(next, typed);
  const place = command.positionals[positionals.length - command.name.split(' ').length];
  return completeValue(place?.replace(/[[\].]/g, ''), undefined, typed);
}

function completeValue(value: string | undefined, choices: readonly string[] | undefined, typed: string): Completion {
  if (choices) return toWords(choices, typed);
  if (value === 'FILE' || value === 'PATH') return { kind: 'file' };
  return value === 'DIR' ? { kind: 'directory' } : toWords([], typed);
}

function toWords(words: readonly string[], typed: string): Completion {
  return { kind: 'words', words: words.filter((word) => word.startsWith(typed)) };
}

/** Returns the words that are neither options nor option values. */
function listPositionals(commands: readonly Command[], words: readonly string[]): readonly string[] {
  const options = toAllOptions(commands);
  return words.filter((word, at) => {
    if (word.startsWith('-')) return false;
    return findOption(options, words[at - 1])?.type !== 'string';
  });
}

/** Returns the words that may come next in a command name. */
function listNextWords(commands: readonly Command[], positionals: readonly string[]): readonly string[] {
  const names = commands.map(({ name }) => name.split(' ')).filter((name) => isBegin(positionals, name));
  return [...new Set(names.flatMap((name) => name[positionals.length] ?? []))];
}

function listOptions(options: OptionTable, given: readonly string[]): readonly string[] {
  const left = Object.entries(options).filter(([name, { multiple }]) => multiple || !given.includes(`--${name}`));
  return left.map(([name]) => `--${name}`);
}

/** `--name=value` is one word that already holds its value, so it does not match here. */
function findOption(options: OptionTable, word: string | undefined): Option | undefined {
  const match = word?.match(/^(?:--([^=]+)|-(\w))$/);
  if (!match) return undefined;
  const [, name, short] = match;
  return Object.entries(options).find(([one, option]) => one === name || (short && option.short === short))?.[1];
}

function toAllOptions(commands: readonly Command[]): OptionTable {
  return Object.assign({}, ...commands.map(({ options }) => options));
}

function isBegin(begin: readonly string[], words: readonly string[]): boolean {
  return begin.every((word, at) => words[at] === word);
}
