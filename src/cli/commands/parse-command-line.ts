import { TaskError } from '../../errors.ts';
import type { Command } from '../command-line/command.ts';
import { toCommandHelp, toOverview } from '../command-line/help.ts';
import { parseWords, type Request as RequestOfOne, readWords } from '../command-line/parse.ts';
import { loadCommands } from './commands.ts';
import { WELCOME } from './welcome.ts';

export type Request =
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'version' }
  | (Extract<RequestOfOne, { kind: 'run' }> & { readonly command: Command });

/** Parses a command line, or throws `USAGE` naming what is expected. */
export async function parseCommandLine(argv: readonly string[]): Promise<Request> {
  const [first] = argv;
  if (first === undefined) return { kind: 'help', text: WELCOME };
  if (first === '--version') return { kind: 'version' };
  const commands = await loadCommands(first);
  // All options must be known to tell which words name the command and which are values of options before it.
  const { positionals, values } = readWords(argv, Object.assign({}, ...commands.map(({ options }) => options)));
  if (values.version) return { kind: 'version' };
  const command = findCommand(commands, positionals);
  if (values.help) return { kind: 'help', text: toHelp(commands, command ?? findGroup(commands, positionals)) };
  if (!command) throw unknownCommandError(commands, positionals);
  const { name } = command;
  const extra = positionals[name.split(' ').length];
  // The command is also the name of a group: the extra word was meant as one of its subcommands.
  if (extra !== undefined && listGroup(commands, name).length > 0) throw unknownCommandError(commands, positionals);
  const request = parseWords(command, argv);
  if (request.kind === 'run') return { ...request, command };
  return request.kind === 'help' ? { kind: 'help', text: toHelp(commands, command) } : request;
}

/** Help for one command, or for all commands whose names begin with the given words. */
function toHelp(commands: readonly Command[], about: Command | string): string {
  if (typeof about === 'string') return toOverview(about, listGroup(commands, about));
  return toCommandHelp(about, listGroup(commands, about.name));
}

function findCommand(commands: readonly Command[], positionals: readonly string[]): Command | undefined {
  return commands.find(({ name }) => name.split(' ').every((word, at) => positionals[at] === word));
}

/** The first word if it names a group; otherwise "", which means all commands. */
function findGroup(commands: readonly Command[], [group = '']: readonly string[]): string {
  return listGroup(commands, group).length > 0 ? group : '';
}

function listGroup(commands: readonly Command[], group: string): readonly Command[] {
  return group === '' ? commands : commands.filter(({ name }) => name.startsWith(`${group} `));
}

function unknownCommandError(commands: readonly Command[], positionals: readonly string[]): TaskError {
  const group = findGroup(commands, positionals);
  const at = group === '' ? 0 : 1;
  const given = positionals[at];
  const expected = new Set(listGroup(commands, group).map(({ name }) => name.split(' ')[at]));
  const after = group === '' ? '' : ` after ${JSON.stringify(group)}`;
  const problem =
    given === undefined ? `a command is missing${after}` : `there is no command ${JSON.stringify(given)}${after}`;
  return new TaskError('USAGE', `${problem}; expected: ${[...expected].join(', ')}`);
}
