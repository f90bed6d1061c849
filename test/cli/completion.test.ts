import { spawn } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { inRoot } from '../../scripts/root.mjs';
import type { Command } from '../../src/cli/command-line/command.ts';
import { complete } from '../../src/cli/command-line/completion.ts';
import { loadCommands } from '../../src/cli/commands/commands.ts';
import { builtPath } from '../programs/program-path.js';
import { runCli } from './run-cli.ts';

let commands: readonly Command[];
beforeAll(async () => {
  commands = await loadCommands(undefined);
});

const words = (...list: string[]) => ({ kind: 'words', words: list });

describe('what is completed', () => {
  it.each([
    ['the first words of commands', ['c'], words('call', 'calls', 'codex', 'closure', 'chaos', 'completion')],
    ['the next words', ['monitor', 'filter', ''], words('show', 'add', 'remove')],
    ['words after an option that stands before them', ['tasks', '--name', 'x', 'sh'], words('show')],
    ['the options of a command', ['tasks', 'list', '--st'], words('--store', '--status')],
    ['no option that has been given', ['tasks', 'list', '--status', 'failed', '--st'], words('--store')],
    ['the values of an option', ['tasks', 'list', '--status', 'c'], words('completed', 'cancelled')],
    ['a file, where one is meant', ['tasks', 'list', '--store', ''], { kind: 'file' }],
    ['a path, where one is the argument', ['monitor', 'sync', ''], { kind: 'file' }],
    ['a directory, where one is meant', ['call', '--plugin', ''], { kind: 'directory' }],
    ['a directory for init', ['init', ''], { kind: 'directory' }],
    ['nothing for what only a store knows', ['tasks', 'show', ''], words()],
    ['nothing after a word that is no command', ['nope', ''], words()],
    ['a file in the command line of a server', ['call', 'render', '--', 'nod'], { kind: 'file' }],
  ])('[ROOMS-257] [FIRST-423] %s', (_says, typed, expected) => {
    expect(complete(commands, typed)).toEqual(expected);
  });
});

describe('a shell', () => {
  /** Types words into a real bash, and presses Tab. */
  async function pressTab(...typed: string[]): Promise<string[]> {
    const dir = await mkdtemp(join(tmpdir(), 'holdfast-shell-'));
    onTestFinished(() => rm(dir, { recursive: true }));
    const main = builtPath('cli/main.js');
    await writeFile(join(dir, 'holdfast'), `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`);
    await chmod(join(dir, 'holdfast'), 0o700);
    const script = `eval "$(holdfast completion script bash)"
COMP_WORDS=(holdfast "$@")
COMP_CWORD=$#
_holdfast holdfast "\${@: -1}"
printf '%s\\n' "\${COMPREPLY[@]}"`;
    const env = { ...process.env, PATH: `${dir}:${process.env.PATH}` };
    const child = spawn('bash', ['-c', script, 'bash', ...typed], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    return (await text(child.stdout)).trimEnd().split('\n');
  }

  it('[ROOMS-257] gets them from the script that is printed for it', async () => {
    expect(await pressTab('tasks', 'list', '--status', 'w')).toEqual(['working']);
    expect(await pressTab('call', '--plugin', inRoot('scr'))).toEqual([inRoot('scripts')]);
  });

  it('[ROOMS-257] that is not known is refused with those that are', async () => {
    expect(await runCli(['completion', 'script', 'csh'])).toMatchObject({
      code: 2,
      stderr: 'holdfast: SHELL is "csh"; expected: bash, zsh, fish\n',
    });
  });
});
