/** An app whose host keeps its state outside of the home directory: told where, or refused before it is acknowledged. */
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { createHost } from 'holdfast/host';
import { until } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runCli } from '../cli/run-cli.ts';
import { runHereWith } from '../cli/run-here.ts';
import { textOf } from '../host/open-host.ts';
import { builtPath } from '../programs/program-path.js';

const MAIN = builtPath('cli/main.js');

const APPS = [
  { app: 'demo', tool: 'greet', args: { name: 'Ada' }, text: 'Hello, Ada!' },
  { app: 'monitor', tool: 'wksm_monitor_status', args: {}, text: 'success' },
];

/** A home, and a state directory that does not lie in it. */
async function openPlaces() {
  const dir = await mkdtemp(join(tmpdir(), 'holdfast-root-'));
  const [home, state] = [join(dir, 'home'), join(dir, 'state')];
  await mkdir(home);
  onTestFinished(() =>
    until(() => rm(dir, { recursive: true, force: true }).then(() => true), { timeoutMs: 60_000 }).then(() => {}),
  );
  const env = { PATH: process.env.PATH ?? '', HOME: home, HOLDFAST_DIR: join(dir, 'own') };
  return { dir, home, state, env, log: join(state, 'ui-prompts.jsonl') };
}

async function connect(args: readonly string[], env: Record<string, string>): Promise<Client> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, ...args],
    env,
    stderr: 'inherit',
  });
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

describe.each(APPS)('holdfast $app', ({ app, tool, args, text }) => {
  const toCall = (taskId: string, stateDir: string) => ({
    name: tool,
    arguments: args,
    _meta: { taskId, asyncTask: { tools: [tool] }, chatos: { uiApp: { stateDir } } },
  });

  it('[SEC-120] refuses a directory outside of the home before it acknowledges the call, and names the setting', async () => {
    const { env, home, state } = await openPlaces();
    const client = await connect([app], env);
    const refused = client.callTool(toCall('t-1', state));
    await expect(refused).rejects.toMatchObject({ code: -32602, message: expect.stringContaining('--state-root') });
    expect(await client.callTool(toCall('t-2', join(home, 'state')))).toMatchObject({
      structuredContent: { status: 'accepted', taskId: 't-2' },
    });
    const isTold = async () =>
      (await readFile(join(home, 'state', 'ui-prompts.jsonl'), 'utf8').catch(() => '')).includes(text);
    await until(isTold, { what: 'the result', timeoutMs: 60_000 });
  });

  it('[SEC-121] takes the directories of --state-root, and no other then', async () => {
    const { dir, env, home, state, log } = await openPlaces();
    const client = await connect([app, '--state-root', `${join(dir, 'other')}:${state}`], env);
    await client.callTool(toCall('t-1', state));
    await until(async () => (await readFile(log, 'utf8').catch(() => '')).includes(text), {
      what: 'the result',
      timeoutMs: 60_000,
    });
    await expect(client.callTool(toCall('t-2', home))).rejects.toMatchObject({ code: -32602 });
  });

  it('[SEC-122] is told by the host that starts it where the host keeps its state', async () => {
    const { env, dir, state } = await openPlaces();
    await using host = await createHost({ ledger: join(dir, 'host.db'), stateDir: state });
    const callMeta = { asyncTask: { tools: [tool] } };
    await host.connect('app', { command: process.execPath, args: [MAIN, app], env, callMeta });
    const call = await host.call('app', tool, args, { maxWaitMs: 60_000 });
    expect(textOf(await call.outcome())).toContain(text);
  });
});

it('[SEC-130] a log that the server keeps itself is found by the name of the server', async () => {
  const { env } = await openPlaces();
  const client = await connect(['demo'], env);
  const { name, arguments: args, _meta } = { name: 'greet', arguments: { name: 'Ada' }, _meta: { taskId: 'own-1' } };
  await client.callTool({ name, arguments: args, _meta: { ..._meta, asyncTask: { tools: ['greet'] } } });
  const list = () => runHereWith(env, ['prompts', 'list', '--name', 'holdfast-demo', '--json']);
  const found = await until(async () => [await list()].find(({ code }) => code === 0), {
    what: 'the log',
    timeoutMs: 60_000,
  });
  expect(JSON.parse(found.stdout)).toMatchObject({ requestId: 'own-1' });
  expect(await runCli(['prompts', 'explain', 'own-1', '--name', 'holdfast-demo'], env)).toMatchObject({ code: 0 });
  const other = await runHereWith(env, ['prompts', 'list', '--name', 'holdfast-demo', '--principal', 'eve']);
  expect(other).toMatchObject({ code: 66, stderr: expect.stringContaining('--name NAME') });
  const both = await runHereWith(env, ['prompts', 'list', '--name', 'holdfast-demo', '--file', 'x']);
  expect(both).toMatchObject({ code: 2 });
});
