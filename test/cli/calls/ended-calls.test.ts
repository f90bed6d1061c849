import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { collect, openDesk, textOf } from '../../host/open-host.ts';
import { builtPath, programPath } from '../../programs/program-path.js';
import { runCli, withMark } from '../run-cli.ts';
import { runHereWith } from '../run-here.ts';

const SERVER = [process.execPath, programPath('handmade-server.js')];

async function openShell() {
  const desk = await openDesk();
  const elsewhere = join(desk.dir, 'elsewhere');
  await mkdir(elsewhere);
  const runIn = (cwd: string, argv: readonly string[]) => runCli(withMark(argv), { HOLDFAST_DIR: desk.dir }, cwd);
  return {
    desk,
    elsewhere,
    runIn,
    run: (...argv: string[]) => runIn(desk.dir, argv),
    runHere: (...argv: string[]) => runHereWith({ HOLDFAST_DIR: desk.dir }, argv),
    /** A call that has ended, and whose outcome nobody has taken. */
    async leaveEnded(gate: string) {
      await desk.open(gate);
      const args = ['call', 'hold', JSON.stringify({ gate }), '--detach', '--', ...SERVER, desk.dir];
      return (await runIn(desk.dir, args)).stdout.trim();
    },
  };
}

it('[FIRST-110] a call that ended before it is resumed tells no updates, and gives its outcome', async () => {
  const desk = await openDesk();
  await desk.open('a');
  const first = await desk.host();
  await first.connect('made', desk.command('handmade-server', desk.dir));
  await (await first.call('made', 'hold', { gate: 'a' })).outcome();
  await first.close();
  const second = await desk.host();
  const [call] = await second.resume();
  if (!call) throw new Error('there is no call to resume');
  expect(await collect(call.updates())).toEqual([]);
  await call.cancel();
  expect(textOf(await call.outcome())).toBe('a is open');
});

it('[FIRST-110] what has ended is shown by wait and resume where there is no terminal, each once', async () => {
  const shell = await openShell();
  const [a, b] = [await shell.leaveEnded('a'), await shell.leaveEnded('b')];
  expect(await shell.run('calls', 'wait', a)).toEqual({ code: 0, stdout: 'a is open\n', stderr: '' });
  expect(await shell.run('calls', 'resume')).toEqual({ code: 0, stdout: 'b is open\n', stderr: '' });
  expect((await shell.runHere('calls', 'wait', b)).code).toBe(4);
});

it('[FIRST-111] cancelling what has ended keeps its outcome for whoever takes it', async () => {
  const shell = await openShell();
  const callId = await shell.leaveEnded('a');
  expect(await shell.runHere('calls', 'cancel', callId)).toEqual({
    code: 0,
    stdout: `${callId} ended as result\n`,
    stderr: `its outcome is kept; holdfast calls wait ${callId} shows it\n`,
  });
  expect(await shell.runHere('calls', 'wait', callId)).toMatchObject({ code: 0, stdout: 'a is open\n' });
});

it('[FIRST-112] calls are resumed from any directory, and a server that cannot be had keeps only its own', async () => {
  const shell = await openShell();
  const { desk } = shell;
  const main = pathToFileURL(builtPath('cli/main.js')).href;
  const mcpServers: Record<string, { command: string; args: string[] }> = {};
  for (const name of ['here', 'gone']) {
    await writeFile(
      join(desk.dir, `${name}.mjs`),
      `process.argv[2] = 'demo'; process.argv[3] = '--conformance'; await import('${main}');`,
    );
    mcpServers[name] = { command: process.execPath, args: [`${name}.mjs`] };
  }
  await writeFile(join(desk.dir, 'holdfast.json'), JSON.stringify({ mcpServers }));
  const work = ['call', 'slow_compute', '{"seconds":3,"label":"x"}', '--detach', '--trust', '--server'];
  await shell.run(...work, 'here');
  const gone = (await shell.run(...work, 'gone')).stdout.trim();
  await rm(join(desk.dir, 'gone.mjs'));
  const seen = await shell.runIn(shell.elsewhere, ['calls', 'resume']);
  expect(seen).toMatchObject({ stdout: 'x: worked for 3 s\n', stderr: expect.stringContaining('server gone@') });
  expect(seen.stderr).toContain('calls that stay pending: 1');
  expect(seen.code).not.toBe(0);
  expect((await shell.runHere('calls', 'list', '--json')).stdout).toContain(gone);
});
