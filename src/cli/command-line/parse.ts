import { parseArgs } from 'node:util';
import { TaskError } from '../../errors.ts';
import {
  type CommandName,
  commandNames,
  getCommand,
  getOption,
  OPTIONS,
  type OptionName,
  type OptionValues,
} from './options.ts';

export type Request =
  /** `about` is a command, or the beginning of several. */
  | { readonly kind: 'help'; readonly about: string }
  | { readonly kind: 'version' }
  | {
      readonly kind: 'run';
      readonly command: CommandName;
      readonly args: readonly string[];
      /** What stood after `--`, for commands that take a command line. */
      readonly rest: readonly string[];
      readonly values: OptionValues;
    };

type Token = NonNullable<ReturnType<typeof parseArgs>['tokens']>[number];
type OptionToken = Extract<Token, { kind: 'option' }>;

/** Understands a command line, or throws `USAGE` that names what is expected. */
export function parseCommandLine(whole: readonly string[]): Request {
  const { argv, rest } = splitRest(whole);
  // Not strict: the messages of `parseArgs` do not say what is expected.
  const { tokens, positionals, values } = parseArgs({
    args: [...argv],
    options: OPTIONS,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  if (values.version) return { kind: 'version' };
  const command = findCommand(positionals);
  if (values.help) return { kind: 'help', about: command ?? findGroup(positionals) };
  if (command === undefined) throw toUnknownCommand(positionals);
  for (const token of tokens) if (token.kind === 'option') checkOption(command, token);
  const args = positionals.slice(command.split(' ').length);
  checkPositionals(command, args);
  return { kind: 'run', command, args, rest, values: values as OptionValues };
}

/** Commands that take the command line of a server. */
const TAKES_REST: readonly string[] = ['call', 'soak', 'closure', 'chaos'] satisfies CommandName[];

function splitRest(whole: readonly string[]): { readonly argv: readonly string[]; readonly rest: readonly string[] } {
  const at = whole.indexOf('--');
  if (!TAKES_REST.includes(whole[0] ?? '') || at === -1) return { argv: whole, rest: [] };
  return { argv: whole.slice(0, at), rest: whole.slice(at + 1) };
}

/** Whether errors are to be printed as JSON, known even when the command line cannot be understood. */
export function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end === -1 ? argv.length : end).includes('--json');
}

function findCommand(positionals: readonly string[]): CommandName | undefined {
  return commandNames.find((name) => name.split(' ').every((word, at) => positionals[at] === word));
}

function findGroup(positionals: readonly string[]): string {
  const [group = ''] = positionals;
  return commandNames.some((name) => name.startsWith(`${group} `)) ? group : '';
}

function toUnknownCommand(positionals: readonly string[]): TaskError {
  const group = findGroup(positionals);
  const given = positionals[group === '' ? 0 : 1];
  const names = commandNames.filter((name) => group === '' || name.startsWith(`${group} `));
  const expected = new Set(names.map((name) => name.split(' ')[group === '' ? 0 : 1]));
  const after = group === '' ? '' : ` after ${JSON.stringify(group)}`;
  const problem =
    given === undefined ? `a command is missing${after}` : `there is no command ${JSON.stringify(given)}${after}`;
  return usage(`${problem}; expected: ${[...expected].join(', ')}`);
}

function checkOption(command: CommandName, token: OptionToken): void {
  const expected: readonly string[] = getCommand(command).options;
  if (!expected.includes(token.name)) {
    const names = expected.map((name) => `--${name}`).join(', ');
    throw usage(`${JSON.stringify(command)} has no option ${token.rawName}; expected: ${names}`);
  }
  const { type, value } = getOption(token.name as OptionName);
  if (type === 'boolean' && token.value !== undefined) throw usage(`${token.rawName} takes no value`);
  if (type === 'string' && !hasValue(token)) throw usage(`${token.rawName} needs a value: --${token.name}=${value}`);
}

// `--store --json` is a forgotten value, not a store called "--json".
function hasValue(token: OptionToken): boolean {
  return token.value !== undefined && (token.inlineValue || !token.value.startsWith('--'));
}

function checkPositionals(command: CommandName, args: readonly string[]): void {
  const names = getCommand(command).positionals;
  const required = names.filter((name) => !name.startsWith('['));
  const missing = required[args.length];
  const shape = ['holdfast', command, ...names].join(' ');
  if (missing !== undefined) throw usage(`${missing} is missing; expected: ${shape}`);
  const extra = names.at(-1)?.endsWith('...]') ? undefined : args[names.length];
  // A command that is a group as well: the word was meant to name one of the others.
  if (extra !== undefined && findGroup([command]) === command) throw toUnknownCommand([command, extra]);
  if (extra !== undefined) throw usage(`${JSON.stringify(extra)} is too much; expected: ${shape}`);
}

function usage(message: string): TaskError {
  return new TaskError('USAGE', message);
}
