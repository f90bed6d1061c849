import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { findServer } from '../../src/cli/servers/find-server.ts';
import { reopenServer } from '../../src/cli/servers/reopen-server.ts';
import { createTerminal } from '../../src/cli/terminal/terminal.ts';
import type { JsonObject } from '../../src/host/index.ts';
import { type FakeTerminal, openFakeTerminal } from './terminal/fake-terminal.ts';

/** Somebody at a terminal, in a directory with a project file. */
async function openDesk(entry: object) {
  const dir = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-trust-')));
  const before = process.cwd();
  vi.stubEnv('HOLDFAST_DIR', join(dir, 'state'));
  await mkdir(join(dir, 'project'));
  process.chdir(join(dir, 'project'));
  onTestFinished(async () => {
    process.chdir(before);
    vi.unstubAllEnvs();
    await rm(dir, { recursive: true });
  });
  const fake = openFakeTerminal();
  const remarks: string[] = [];
  const terminal = {
    ...createTerminal({ json: false }),
    keyboard: fake.keyboard,
    remark: (line: string) => void remarks.push(line),
  };
  const context = { terminal, isTrusted: false };
  const write = (one: object) => writeFile('.mcp.json', JSON.stringify({ mcpServers: { demo: one } }));
  await write(entry);
  return { dir, fake, remarks, write, context, find: () => findServer({ server: 'demo', command: [] }, context) };
}

async function answer(fake: FakeTerminal, keys: string): Promise<void> {
  await fake.shows('Trust it from now on? (y/N)');
  fake.type(`${keys}\r`);
}

it('[SEC-308] asks once, with the file, the server and all that would be run, and keeps the answer', async () => {
  const env = { NODE_OPTIONS: '--require ./x.js' };
  const { dir, fake, remarks, find } = await openDesk({ command: 'node', args: ['a b', '\u001b]52;c;x\u0007'], env });
  const asked = find();
  await answer(fake, 'y');
  const path = join(dir, 'project', '.mcp.json');
  expect((await asked).name).toBe(`demo@${path}`);
  expect(remarks.join('\n')).toBe(
    [
      `\nserver "demo" of ${path} has not been seen before. It would run:`,
      '  node "a b" "\\u001b]52;c;x\\u0007"',
      '  env: {"NODE_OPTIONS":"--require ./x.js"}',
    ].join('\n'),
  );
  expect((await find()).spec).toMatchObject({ command: 'node', env, cwd: join(dir, 'project') });
  expect(
    Object.keys(JSON.parse(await readFile(join(dir, 'state', 'holdfast', 'calls', 'trusted.json'), 'utf8'))),
  ).toEqual([path]);
});

it.each(['', 'n', 'maybe'])('[SEC-308] takes the answer %j for a no, and asks again the next time', async (keys) => {
  const { fake, find } = await openDesk({ command: 'node' });
  const asked = find();
  await answer(fake, keys);
  await expect(asked).rejects.toMatchObject({
    code: 'UNTRUSTED_CONFIG',
    message: expect.stringContaining('you said no'),
  });
  const again = find();
  fake.type('y\r');
  await expect(again).resolves.toMatchObject({ spec: { command: 'node' } });
});

it('[SEC-308] asks for no yes to what is too long to be read', async () => {
  const { find } = await openDesk({ command: 'node', args: ['x'.repeat(9000)] });
  await expect(find()).rejects.toMatchObject({ message: expect.stringContaining('too long to be shown') });
});

it.each([
  ['y', 'new'],
  ['n', 'old'],
])('[SEC-304] asks which is meant when a server changed since the call: %s takes the %s one', async (keys, taken) => {
  const { fake, write, context, find, remarks } = await openDesk({ command: 'old' });
  const asked = find();
  await answer(fake, 'y');
  const { name: server, origin } = await asked;
  await write({ command: 'new' });
  const reopened = reopenServer({ server, origin: { ...origin } as unknown as JsonObject }, context);
  fake.type(`${keys}\r`);
  expect(await reopened).toMatchObject({ command: taken });
  expect(remarks.join('\n')).toContain('has changed since the call');
});

it('[SEC-307] takes what was typed as it is: variables in it are the business of the shell', async () => {
  const { context } = await openDesk({});
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as a user would write it in quotes
  const command = ['node', '${HOME}'];
  expect((await findServer({ command }, context)).spec).toMatchObject({ args: command.slice(1), cwd: process.cwd() });
});

it('[SEC-341] passes on what the command line names, and where tasks and logs lie', async () => {
  const { context } = await openDesk({});
  const { spec } = await findServer({ command: ['node'], 'pass-env': 'AWS_*,EDITOR' }, context);
  expect(spec).toMatchObject({ passEnv: ['AWS_*', 'EDITOR', 'HOLDFAST_DIR', 'XDG_STATE_HOME', 'CHATOS_STATE_DIR'] });
});

it.each(['text', 7, [], {}])('[SEC-302] says what is wrong with the entry %j', async (entry) => {
  const { find } = await openDesk(entry as object);
  await expect(find()).rejects.toMatchObject({ message: expect.stringContaining('has neither command nor url') });
});
