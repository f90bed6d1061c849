import { parseArgs } from 'node:util';
import { TaskError } from '../../errors.ts';
import type { Command, CommandContext } from './command.ts';
import type { Option, OptionTable, OptionValues } from './option.ts';

/** What a command line asks of one command: help, the version or a run. */
export type Request<Options extends OptionTable = OptionTable> =
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | ({ readonly kind: 'run' } & Pick<CommandContext<Options>, 'args' | 'rest' | 'values'>);

/** The options that are accepted without a command. */
export const GLOBAL_OPTIONS = {
  help: { type: 'boolean', short: 'h', help: 'Show help' },
  version: { type: 'boolean', help: 'Show the version' },
} as const satisfies OptionTable;

type Words = ReturnType<typeof readWords>;
type OptionToken = Extract<NonNullable<Words['tokens']>[number], { kind: 'option' }>;

/** Separates options from positional words; validates nothing. */
export function readWords(argv: readonly string[], options: OptionTable) {
  // Not strict: the messages of `parseArgs` do not say what is expected.
  return parseArgs({
    args: [...argv],
    options: { ...toSyntax(options), ...toSyntax(GLOBAL_OPTIONS) },
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
}

/** Parses the command line of a command, or throws `USAGE` naming what is expected. */
export function parseWords<Options extends OptionTable>(
  command: Command<Options>,
  whole: readonly string[],
): Request<Options> {
  const { argv, rest } = splitRest(command, whole);
  const { tokens, positionals, values } = readWords(argv, command.options);
  if (values.version) return { kind: 'version' };
  if (values.help) return { kind: 'help' };
  for (const token of tokens) if (token.kind === 'option') checkOption(command, token);
  const args = positionals.slice(command.name.split(' ').length);
  checkPositionals(command, args);
  return { kind: 'run', args, rest, values: parseValues(command.options, values) as OptionValues<Options> };
}

/** Whether errors are to be printed as JSON; works even when the command line cannot be parsed. */
export function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end === -1 ? argv.length : end).includes('--json');
}

/** Converts options to the form that `parseArgs` needs. */
function toSyntax(options: OptionTable) {
  const entries = Object.entries(options).map(([name, { type, short, multiple = false }]) => {
    return [name, { type, multiple, ...(short !== undefined && { short }) }] as const;
  });
  return Object.fromEntries(entries);
}

function splitRest({ takesCommandLine }: Pick<Command, 'takesCommandLine'>, whole: readonly string[]) {
  const at = whole.indexOf('--');
  if (!takesCommandLine || at === -1) return { argv: whole, rest: [] };
  return { argv: whole.slice(0, at), rest: whole.slice(at + 1) };
}

function checkOption({ name, options }: Pick<Command, 'name' | 'options'>, token: OptionToken): void {
  const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined;
  if (option === undefined) {
    const expected = Object.keys(options).map((one) => `--${one}`);
    throw usage(`${JSON.stringify(name)} has no option ${token.rawName}; expected: ${expected.join(', ')}`);
  }
  const { type, value } = option;
  if (type === 'boolean' && token.value !== undefined) throw usage(`${token.rawName} takes no value`);
  if (type === 'string' && !hasValue(token)) throw usage(`${token.rawName} needs a value: --${token.name}=${value}`);
}

// `--store --json` is a forgotten value, not a store called "--json".
function hasValue(token: OptionToken): boolean {
  return token.value !== undefined && (token.inlineValue || !token.value.startsWith('--'));
}

function checkPositionals({ name, positionals }: Pick<Command, 'name' | 'positionals'>, args: readonly string[]): void {
  const required = positionals.filter((one) => !one.startsWith('['));
  const missing = required[args.length];
  const shape = ['holdfast', name, ...positionals].join(' ');
  if (missing !== undefined) throw usage(`${missing} is missing; expected: ${shape}`);
  const extra = positionals.at(-1)?.endsWith('...]') ? undefined : args[positionals.length];
  if (extra !== undefined) throw usage(`${JSON.stringify(extra)} is too much; expected: ${shape}`);
}

function parseValues(options: OptionTable, given: Words['values']): Record<string, unknown> {
  const entries = Object.entries(given).map(([name, value]) => [name, parseValue(options[name], name, value)] as const);
  return Object.fromEntries(entries);
}

function parseValue(option: Option | undefined, name: string, value: Words['values'][string]): unknown {
  const parse = option?.parse;
  if (parse === undefined) return value;
  return Array.isArray(value) ? value.map((one) => parse(String(one), `--${name}`)) : parse(String(value), `--${name}`);
}

function usage(message: string): TaskError {
  return new TaskError('USAGE', message);
}
