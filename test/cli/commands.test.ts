/** What every command says of itself. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { toCommandHelp } from '../../src/cli/command-line/help.ts';
import { parseWords } from '../../src/cli/command-line/parse.ts';
import { loadCommands } from '../../src/cli/commands/commands.ts';
import { parseCommandLine } from '../../src/cli/commands/parse-command-line.ts';

const all = await loadCommands(undefined);

it('[ROOMS-250] every command is found by its own name, alone among those of its first word', async () => {
  for (const { name } of all) {
    const group = await loadCommands(name.split(' ')[0]);
    expect(group.filter((command) => command.name === name)).toHaveLength(1);
    expect(group.length).toBeLessThan(all.length);
  }
});

it.each(all.map((command) => [command.name, command] as const))(
  '[ROOMS-250] %s is parsed and helped by its description alone',
  async (name, command) => {
    const args = command.positionals.filter((one) => !one.startsWith('['));
    const words = [...name.split(' '), ...args];
    expect(parseWords(command, words)).toEqual({ kind: 'run', args, rest: [], values: {} });
    expect(await parseCommandLine(words)).toMatchObject({ kind: 'run', command: { name }, args });
    const help = toCommandHelp(command);
    for (const [option, { help: text }] of Object.entries(command.options)) {
      expect(help).toMatch(new RegExp(`--${option}[ A-Z]`));
      expect(help).toContain(text);
    }
  },
);

it('[ROOMS-251] an option means the same wherever it stands: before, within and after the name of its command', async () => {
  const lines = ['--limit 5 tasks list', 'tasks --limit 5 list', 'tasks list --limit 5'];
  for (const line of lines) {
    const expected = { kind: 'run', command: { name: 'tasks list' }, args: [], values: { limit: 5 } };
    expect(await parseCommandLine(line.split(' '))).toMatchObject(expected);
  }
});

it('[ROOMS-251] options of the same name are written alike in all commands', () => {
  const written = new Map<string, string>();
  for (const { name, options } of all) {
    for (const [option, { type, short, multiple }] of Object.entries(options)) {
      const syntax = JSON.stringify({ type, short, multiple });
      expect(`${name} --${option} ${syntax}`).toBe(`${name} --${option} ${written.get(option) ?? syntax}`);
      written.set(option, syntax);
    }
  }
});

it('[ROOMS-252] help loads no engine, no store, no host, no zod and no SDK', () => {
  const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
  const loader = `export async function load(url, context, next) {
    if (/dist\\/(engine|store|host|server|dialects|sqlite)\\/|node_modules/.test(url)) console.error(url);
    return next(url, context);
  }`;
  const register = `import { register } from 'node:module'; register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(loader)}`)});`;
  const hooks = `data:text/javascript,${encodeURIComponent(register)}`;
  const { stderr, stdout } = spawnSync(process.execPath, ['--import', hooks, main, '--help'], { encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(stdout).toContain('holdfast');
});
