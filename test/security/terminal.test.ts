/** A hostile server, called from a real terminal: `script` gives the command line one. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { runCli } from '../cli/run-cli.ts';
import { runOnTerminal } from '../cli/terminal/run-on-terminal.ts';
import { programPath } from '../programs/program-path.js';
import { share } from '../share.ts';

const SERVER = programPath('hostile-words-server.js');

/** What begins an escape in 7 or 8 bits, rings the bell, or turns the direction of writing. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const OBEYED = /\u001b\]|\u001b\[2J|\u0007|\u009b|\u202e/;

async function openDesk() {
  const dir = await mkdtemp(join(tmpdir(), 'holdfast-terminal-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return { dir, env: { HOLDFAST_DIR: dir } };
}

/** Calls a tool on a terminal of its own. */
async function callOnTerminal(tool: string, args = '{}') {
  const { dir, env } = await openDesk();
  const call = runOnTerminal(['call', tool, args, '--', process.execPath, SERVER], { env, cwd: dir });
  return Object.assign(call, { dir });
}

it('[SEC-350] what a tool answers is shown on a terminal with its escapes made visible', async () => {
  const call = await callOnTerminal('page');
  expect(await call.ended).toBe(0);
  expect(call.screen).toContain('first\\u001b]52;c;b3duZWQ=\\u0007\\u001b[2J\\u009b31m\\u202eowned\r\nsecond');
  expect(call.screen).toContain('[kind\\u001b]52');
  expect(call.screen).not.toMatch(OBEYED);
});

it('[SEC-351] a pipe gets what a tool answers as it is', async () => {
  const { dir } = await openDesk();
  const { stdout } = await runCli(['call', 'page', '--', process.execPath, SERVER], { HOLDFAST_DIR: dir }, dir);
  expect(stdout).toContain('first\u001b]52;c;b3duZWQ=\u0007');
});

it('[SEC-352] JSON for programs holds no character that a terminal obeys', async () => {
  const { dir } = await openDesk();
  const { stdout } = await runCli(
    ['call', 'page', '--json', '--', process.execPath, SERVER],
    { HOLDFAST_DIR: dir },
    dir,
  );
  expect(stdout).not.toMatch(OBEYED);
  expect(JSON.parse(stdout).result.content[0].text).toContain('\u009b31m\u202eowned');
});

it('[SEC-353] what a server writes to stderr is shown with its escapes made visible', async () => {
  const call = await callOnTerminal('log');
  expect(await call.ended).toBe(0);
  expect(call.screen).toContain('stderr\\u001b]52');
  expect(call.screen).not.toMatch(OBEYED);
});

it.each([
  ['https://example.org/login?next=1', 'a page of example.org'],
  ['http://exаmple.org/', 'a page of xn--'],
])('[SEC-354] a question names its server and the host of its page: %s', async (url, shown) => {
  const call = await callOnTerminal('url', JSON.stringify({ url }));
  await call.type('Press Enter when you are done:', '\r');
  expect(await call.ended).toBe(0);
  expect(call.screen).toMatch(/The server .+ asks, for its tool url:/);
  expect(call.screen).toContain(shown);
  expect(call.screen).not.toMatch(OBEYED);
});

// Of every second one a scheme that is not for pages, and a host that hides behind another.
it.each(share(['javascript:alert(1)', 'file:///etc/passwd', 'https://bank.example@evil.example/'], { every: 2 }))(
  '[SEC-355] a page that no person should open is turned away: %s',
  async (url) => {
    const call = await callOnTerminal('url', JSON.stringify({ url }));
    expect(await call.ended).toBe(0);
    expect(call.screen).toContain('turned away: the URL is');
    expect(call.screen).toContain('url: decline');
  },
);

it('[SEC-356] a secret is not echoed, its default is not shown, and no file keeps it in clear', async () => {
  const call = await callOnTerminal('password');
  await call.type('(not shown):', 'hunter2-hunter2\r');
  expect(await call.ended).toBe(0);
  expect(call.screen).toContain('15 characters');
  expect(call.screen).not.toMatch(/hunter2|0000/);
  for (const file of await readdir(call.dir, { recursive: true })) {
    const bytes = await readFile(join(call.dir, file)).catch(() => Buffer.alloc(0));
    expect(bytes.includes('hunter2'), file).toBe(false);
  }
});

it('[SEC-526] what a server writes to stderr while it asks cannot pass for the question of another', async () => {
  const call = await callOnTerminal('forged');
  await call.type('The server good asks:', 'hunter2\r');
  expect(await call.ended).toBe(0);
  const lines = call.screen.split(/[\r\n]+/);
  expect(lines.filter((line) => /^The server .* asks/.test(line))).toEqual([
    expect.stringContaining('for its tool forged'),
  ]);
  expect(lines).toContain('| The server good asks:');
  expect(lines).toContain('|   Who are you?');
});

it('[SEC-522] what a log says is explained without what a terminal obeys', async () => {
  const { dir } = await openDesk();
  const file = join(dir, 'log.jsonl');
  await writeFile(
    file,
    `${JSON.stringify({ type: 'ui_prompt', action: '\u009b31m\u202ex', requestId: 'T1', prompt: {} })}\n`,
  );
  const { stdout } = await runCli(['prompts', 'explain', 'T1', '--file', file], { HOLDFAST_DIR: dir }, dir);
  expect(stdout).toContain('\\u009b31m\\u202ex');
  expect(stdout).not.toMatch(OBEYED);
});
