import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { openSqliteStore } from 'holdfast';
import { until } from 'holdfast/testing';
import { expect, it, onTestFinished } from 'vitest';
import { programPath } from '../programs/program-path.js';
import { openCuttingProxy } from '../server/cutting-proxy.ts';
import { openPlain, textOf } from '../server/plain-client.ts';
import { openRawStdio, type RawClient } from './raw-client.ts';
import { openSite, type Site } from './site.ts';

const CALL = { name: 'work', arguments: { ms: 0, label: 'a' } };
const CLIENT = programPath('unread-client.js');
const PATIENCE = { timeoutMs: 60_000 };

async function open() {
  const site = await openSite('plain-server');
  const store = await openSqliteStore({ path: join(site.dir, 'tasks.db') });
  onTestFinished(() => store.close());
  return { site, holds: () => store.holds.list() };
}

async function callAgain(client: RawClient): Promise<unknown> {
  return (await client.request('tools/call', CALL)).result;
}

/** Starts a client that is answered and does not read it; resolves with its process when it has been answered. */
async function startUnread(site: Site) {
  const { command, args } = site.command;
  const child = spawn(process.execPath, [CLIENT, JSON.stringify(CALL), command, ...args], { stdio: 'ignore' });
  const exit = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exit;
  });
  const isDone = async () => (await site.tasks.list()).tasks[0]?.status === 'completed';
  await until(isDone, { ...PATIENCE, what: 'the work to end' });
  return child;
}

it('[BAD-410] a client on stdio that is killed before it reads its answer gets it when it comes back', async () => {
  const { site, holds } = await open();
  const client = await startUnread(site);
  client.kill('SIGKILL');
  await until(async () => (await holds())[0]?.cancelAt, { ...PATIENCE, what: 'the server to notice' });
  const result = await callAgain(await openRawStdio(site, 'legacy'));
  expect(result).toMatchObject({ content: [{ text: 'a done' }, {}], _meta: { 'holdfast/joined': {} } });
  expect(site.runs()).toEqual(['a 1']);
});

it('[BAD-411] equal calls on stdio run each: in a row, and by a client that came back after it had ended politely', async () => {
  const { site, holds } = await open();
  const client = await openRawStdio(site, 'legacy');
  for (const _ of [1, 2]) expect(await callAgain(client)).toEqual({ content: [{ type: 'text', text: 'a done' }] });
  await client.end();
  expect(await holds()).toEqual([]);
  expect(await callAgain(await openRawStdio(site, 'legacy'))).not.toHaveProperty('_meta');
  expect(site.runs()).toHaveLength(3);
});

it('[BAD-412] a response that is lost together with its server is given by the next', async () => {
  const { site } = await open();
  const victim = await site.serve();
  const proxy = await openCuttingProxy(victim.url, () => (site.runs().length === 0 ? 'late' : 'pass'));
  const client = await openPlain(proxy.url);
  await expect(client.call('work', CALL.arguments)).rejects.toThrow();
  await victim.kill();
  proxy.lead((await site.serve()).url);
  expect(textOf(await client.call('work', CALL.arguments))).toBe('a done');
  expect(site.runs()).toEqual(['a 1']);
});
