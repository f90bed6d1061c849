import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createEngine } from 'holdfast';
import { createFakeClock } from 'holdfast/testing';
import { expect, it, onTestFinished } from 'vitest';
import { CLIENTS } from '../../../src/gateway/clients/client-table.ts';
import { findProfile, withKnownProfiles } from '../../../src/server/clients/profiles.ts';
import { runCli } from '../../cli/run-cli.ts';
import { recordedConfigs } from './recorded-configs.ts';

it('[GATE-311] knows when each client gives up, as servers do', () => {
  const known = withKnownProfiles();
  const toLimit = (title: string) => findProfile(known, title === 'VS Code' ? 'Visual Studio Code' : title).giveUpMs;
  expect(CLIENTS.map(({ title, giveUpMs }) => [title, giveUpMs])).toEqual(
    CLIENTS.map(({ title }) => [title, toLimit(title)]),
  );
});

it('[GATE-311] tells of clients, their servers and limits, and of tools that outlast them', async () => {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-doctor-')));
  onTestFinished(() => rm(home, { recursive: true }));
  for (const { file, text } of recordedConfigs) {
    await mkdir(dirname(join(home, file)), { recursive: true });
    await writeFile(join(home, file), text);
  }
  await writeFile(join(home, '.cursor', 'mcp.json'), '{ "mcpServers": { "scan": ');
  const env = { HOME: home, XDG_CONFIG_HOME: '', HOLDFAST_DIR: join(home, 'state') };
  const clock = createFakeClock(Date.now());
  const path = join(home, 'state', 'holdfast', 'report', 'tasks.db');
  const engine = await createEngine({
    name: 'report',
    clock,
    store: await (await import('holdfast')).openSqliteStore({ path, clock }),
    tools: { render: { run: () => clock.advance(45_000).then(() => 'done') } },
  });
  await engine.start();
  const { task } = await engine.submit('render', {});
  await engine.outcome(task.taskId);
  await engine.close();

  const { code, stdout, stderr } = await runCli(['doctor'], env, home);
  expect(code).toBe(0);
  expect(stdout).toContain('slow: not behind the gateway; calls end after 10m');
  expect(stdout).toContain('agent: not behind the gateway; calls may take as long as they like');
  expect(stdout).toContain('cannot be read: ');
  // Gemini says 30 s of this server.
  expect(stdout).toMatch(/report +render +1 +45s +1 took longer than 30s/);
  expect(stderr).toContain('holdfast install --all');
});
