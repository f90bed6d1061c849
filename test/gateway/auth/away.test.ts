/** A token that ends while nobody is connected to the gateway. */
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createServer, createTaskClient, openSqliteStore } from 'holdfast';
import { until } from 'holdfast/testing';
import { expect, it, onTestFinished } from 'vitest';
import { signIn } from '../../../src/gateway/auth/sign-in.ts';
import { SignInFile } from '../../../src/gateway/auth/sign-in-file.ts';
import { startCli } from '../../cli/run-cli.ts';
import { openAuthServer } from './open-auth-server.ts';

const PATIENCE = { timeoutMs: 60_000 };

/** A client of `holdfast gateway --url`, which shakes hands. */
async function openClient(url: string, env: Record<string, string>) {
  const child = startCli(['gateway', '--name', 'away', '--url', url], env);
  const lines: { id?: number; result?: { content?: unknown } }[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => void lines.push(JSON.parse(line)));
  child.stderr.resume();
  const closed = new Promise((resolve) => child.once('close', resolve));
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const answer = (id: number) => until(() => lines.find((line) => line.id === id), PATIENCE);
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } };
  send({ id: 1, method: 'initialize', params });
  await answer(1);
  send({ method: 'notifications/initialized' });
  const end = async (how: () => void) => {
    how();
    await closed;
  };
  return { child, answer, end, call: (id: number) => send({ id, method: 'tools/call', params: { name: 'wait' } }) };
}

it('[GATE-327] a call goes on, and its token is renewed, while no client is connected', async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-away-')));
  onTestFinished(() => rm(folder, { recursive: true, maxRetries: 50, retryDelay: 100 }));
  const env = { HOLDFAST_DIR: folder };
  let isOpen = false;
  let runs = 0;
  const slow = createServer({ name: 'slow', version: '1.0.0', workers: 'inline', unprotected: true }).tool('wait', {
    run: async () => {
      runs += 1;
      await until(() => isOpen, { what: 'the gate', ...PATIENCE });
      return 'done';
    },
    inlineMs: 1,
  });
  onTestFinished(() => slow.close());
  const server = await openAuthServer((request) => slow.fetch(request));
  const file = new SignInFile({ directory: join(folder, 'holdfast', 'calls', 'auth'), url: server.url });
  await signIn({ file, open: async (url) => void (await fetch(url)) });
  const first = await openClient(server.url, env);
  first.call(2);
  await until(() => runs === 1, { what: 'the call', ...PATIENCE });
  await first.end(() => first.child.kill('SIGKILL'));
  const renewals = () => server.seen.filter((path) => path === '/token').length;
  const before = renewals();
  server.endTokens();
  server.cut();
  await until(() => renewals() > before, { what: 'the token to be renewed', ...PATIENCE });
  isOpen = true;
  const store = await openSqliteStore({ path: join(folder, 'holdfast', 'away', 'tasks.db') });
  onTestFinished(() => store.close());
  const { list } = createTaskClient(store);
  await until(async () => (await list({ status: 'completed' })).tasks[0], { what: 'its end', ...PATIENCE });
  const second = await openClient(server.url, env);
  second.call(3);
  expect((await second.answer(3)).result?.content).toContainEqual({ type: 'text', text: 'done' });
  expect(runs).toBe(1);
  await second.end(() => second.child.stdin.end());
  const isIdle = async () => (await store.workers.list()).every(({ state }) => state !== 'ready');
  await until(isIdle, { what: 'its worker to end', ...PATIENCE });
});
