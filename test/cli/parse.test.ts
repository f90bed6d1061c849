import { expect, it } from 'vitest';
import { parseDuration, toDurationText } from '../../src/cli/command-line/duration.ts';
import { parseCommandLine } from '../../src/cli/commands/parse-command-line.ts';

const parse = (line: string) => parseCommandLine(line.split(' ').filter(Boolean));

it('understands a command, its arguments and its options in any order', async () => {
  const expected = {
    kind: 'run',
    command: expect.objectContaining({ name: 'tasks answer' }),
    args: ['id', '{}'],
    rest: [],
    values: { store: 'a', json: true },
  };
  expect(await parse('tasks answer id {} --store a --json')).toEqual(expected);
  expect(await parse('--json --store=a tasks answer id {}')).toEqual(expected);
});

it('takes everything after -- as an argument', async () => {
  expect(await parse('tasks answer id q1 --store a -- -5')).toMatchObject({ args: ['id', 'q1', '-5'] });
});

it.each([
  [
    'jobs',
    'there is no command "jobs"; expected: init, tools, call, calls, tasks, store, logs, where, prompts, sandbox, dashboard, gateway, auth, demo, codex, worker, monitor, install, uninstall, doctor, soak, closure, chaos, completion',
  ],
  ['tasks', 'a command is missing after "tasks"; expected: list, show, tail, answer, cancel, prune, adopt'],
  ['tasks ls', 'there is no command "ls" after "tasks"; expected: list, show, tail, answer, cancel, prune, adopt'],
  [
    'tasks cancel x --force',
    '"tasks cancel" has no option --force; expected: --store, --name, --key-file, --reason, --json, --help',
  ],
  [
    'tasks cancel x -f',
    '"tasks cancel" has no option -f; expected: --store, --name, --key-file, --reason, --json, --help',
  ],
  ['tasks show x --all', '"tasks show" has no option --all; expected: --store, --name, --key-file, --json, --help'],
  ['tasks list --store', '--store needs a value: --store=PATH'],
  ['tasks list --store --json', '--store needs a value: --store=PATH'],
  ['tasks list --all=yes', '--all takes no value'],
  ['monitor sink', 'there is no command "sink" after "monitor"; expected: sync, status, check, filter, priority'],
  ['tasks show', 'TASK is missing; expected: holdfast tasks show TASK'],
  ['tasks show a b', '"b" is too much; expected: holdfast tasks show TASK'],
])('[CLI-09] "%s" is refused: %s', async (line, message) => {
  await expect(parse(line)).rejects.toThrow(expect.objectContaining({ code: 'USAGE', message }));
});

it('[FIRST-410] without a command, what one can do is shown', async () => {
  const request = await parse('');
  expect(request).toMatchObject({ kind: 'help', text: expect.stringContaining('holdfast init DIR') });
});

it.each([
  ['90s', 90_000],
  ['15m', 900_000],
  ['1.5h', 5_400_000],
  ['7d', 604_800_000],
  ['0s', 0],
])('reads %s as %d ms', (text, ms) => {
  expect(parseDuration(text, '--older-than')).toBe(ms);
});

it.each(['', '5', 'h', '-1h', '1w', '1h30m', '1e3s'])('refuses "%s" as an age', (text) => {
  const message = `--older-than is "${text}"; expected a number and a unit: 90s, 15m, 1h, 7d`;
  expect(() => parseDuration(text, '--older-than')).toThrow(expect.objectContaining({ code: 'USAGE', message }));
});

it.each([
  [-5, '0ms'],
  [850, '850ms'],
  [999.6, '1s'],
  [42_000, '42s'],
  [185_000, '3m 5s'],
  [3_600_000, '1h'],
  [3_605_000, '1h'],
  [93_600_000, '1d 2h'],
])('writes %d ms as %s', (ms, text) => {
  expect(toDurationText(ms)).toBe(text);
});
