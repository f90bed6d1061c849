import { type CommandName, commandNames, getCommand, getOption, type OptionName } from './options.ts';

/** Help for one command, or for all that begin with `about`. */
export function toHelp(about: string): string {
  const command = commandNames.find((name) => name === about);
  return command === undefined ? toOverview(about) : toCommandHelp(command);
}

function toOverview(group: string): string {
  const names = commandNames.filter((name) => group === '' || name.startsWith(`${group} `));
  const lines = names.map((name) => [toShape(name), getCommand(name).summary] as const);
  const usage = ['holdfast', ...(group === '' ? [] : [group]), 'COMMAND [OPTIONS]'].join(' ');
  const options = toOptionLines(group === '' ? ['help', 'version'] : ['help']);
  return `Usage: ${usage}

Commands:
${toColumns(lines)}

Options:
${toColumns(options)}

A TASK is an id, or the first 8 or more characters of one or of its part after the time.
`;
}

function toCommandHelp(name: CommandName): string {
  const { summary, options } = getCommand(name);
  return `Usage: holdfast ${toShape(name)} [OPTIONS]

${summary}.

Options:
${toColumns(toOptionLines(options))}
${toSubcommands(name)}`;
}

/** The commands that begin with the name of another. */
function toSubcommands(name: CommandName): string {
  const names = commandNames.filter((other) => other.startsWith(`${name} `));
  const lines = names.map((other) => [toShape(other), getCommand(other).summary] as const);
  return lines.length === 0 ? '' : `\nCommands:\n${toColumns(lines)}\n`;
}

function toShape(name: CommandName): string {
  return [name, ...getCommand(name).positionals].join(' ');
}

function toOptionLines(names: readonly OptionName[]): (readonly [string, string])[] {
  return names.map((name) => {
    const { short, value, help } = getOption(name);
    const shape = `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`;
    return [shape, help] as const;
  });
}

function toColumns(lines: readonly (readonly [string, string])[]): string {
  const width = Math.max(...lines.map(([left]) => left.length));
  return lines.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n');
}
