import type { Command } from './command.ts';
import type { OptionTable } from './option.ts';
import { GLOBAL_OPTIONS } from './parse.ts';

/** Help for all commands, or for the commands of one group. */
export function toOverview(group: string, commands: readonly Command[]): string {
  const usage = ['holdfast', ...(group === '' ? [] : [group]), 'COMMAND [OPTIONS]'].join(' ');
  const { help } = GLOBAL_OPTIONS;
  return `Usage: ${usage}

Commands:
${toColumns(toCommandLines(commands))}

Options:
${toColumns(toOptionLines(group === '' ? GLOBAL_OPTIONS : { help }))}

TASK and CALL are ids or unique id prefixes, as shown in lists.
`;
}

/** Help for one command; `others` are the commands whose names begin with this command's name. */
export function toCommandHelp(command: Command, others: readonly Command[] = []): string {
  const { summary, options } = command;
  return `Usage: holdfast ${toShape(command)} [OPTIONS]

${summary}.

Options:
${toColumns(toOptionLines(options))}
${others.length === 0 ? '' : `\nCommands:\n${toColumns(toCommandLines(others))}\n`}`;
}

function toCommandLines(commands: readonly Command[]): (readonly [string, string])[] {
  return commands.map((command) => [toShape(command), command.summary] as const);
}

function toShape({ name, positionals }: Command): string {
  return [name, ...positionals].join(' ');
}

function toOptionLines(options: OptionTable): (readonly [string, string])[] {
  return Object.entries(options).map(([name, { short, value, help }]) => {
    const shape = `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`;
    return [shape, help] as const;
  });
}

function toColumns(lines: readonly (readonly [string, string])[]): string {
  const width = Math.max(...lines.map(([left]) => left.length));
  return lines.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n');
}
