import { mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createServer } from 'holdfast';
import { createHost } from 'holdfast/host';
import { until } from 'holdfast/testing';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { createAuthorizedFetch } from '../../../src/gateway/auth/authorized-fetch.ts';
import { signIn } from '../../../src/gateway/auth/sign-in.ts';
import { SignInFile } from '../../../src/gateway/auth/sign-in-file.ts';
import { headerVariable, readHeaderVariables } from '../../../src/gateway/clients/header-variable.ts';
import { runCli, startCli } from '../../cli/run-cli.ts';
import { openAuthServer } from './open-auth-server.ts';

async function openFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-auth-')));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

it('[GATE-324] signs in by the name of a server, and forgets by its URL', async () => {
  const server = await openAuthServer();
  const folder = await openFolder();
  const env = { HOLDFAST_DIR: join(folder, 'state') };
  await writeFile(join(folder, 'holdfast.json'), JSON.stringify({ mcpServers: { far: { url: server.url } } }));
  const child = startCli(['auth', 'far'], env, folder);
  const ended = new Promise((resolve) => child.once('close', resolve));
  let shown = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    shown += piece;
  });
  const told = text(child.stderr);
  const page = await until(() => /^http\S+\n/.exec(shown)?.[0].trim(), { what: 'the page to sign in at' });
  expect(await (await fetch(page)).text()).toContain('You can close this page');
  expect(await ended).toBe(0);
  expect(await told).toContain(`signed in at ${server.url}`);
  const kept = join(env.HOLDFAST_DIR, 'holdfast', 'calls', 'auth');
  expect(await readdir(kept)).toHaveLength(1);

  expect(await runCli(['auth', server.url, '--forget'], env, folder)).toMatchObject({ code: 0 });
  expect(await readdir(kept)).toEqual([]);
  const unknown = await runCli(['auth', 'near'], env, folder);
  expect(unknown).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('there is no server "near"; known are far'),
  });
});

it('[GATE-325] a call goes on when its token ends while it runs', async () => {
  const folder = await openFolder();
  let isOpen = false;
  const slow = createServer({ name: 'slow', version: '1.0.0', workers: 'inline', unprotected: true }).tool('wait', {
    run: async () => {
      await until(() => isOpen, { what: 'the gate' });
      return 'done';
    },
    inlineMs: 1,
  });
  onTestFinished(() => slow.close());
  const server = await openAuthServer((request) => slow.fetch(request));
  const file = new SignInFile({ directory: folder, url: server.url });
  await signIn({ file, open: async (url) => void (await fetch(url)) });

  await using host = await createHost({});
  const authorized = createAuthorizedFetch({ name: 'slow', file, clock: systemClock, fetch });
  await host.connect('slow', { url: server.url, fetch: authorized });
  const call = await host.call('slow', 'wait');
  await call.sent();
  server.endTokens();
  isOpen = true;
  expect(await call.outcome()).toMatchObject({ kind: 'result', result: { content: [{ type: 'text', text: 'done' }] } });
  await call.ack();
});

it('[GATE-326] headers are read from variables', async () => {
  expect(headerVariable('X-Api-Key')).toBe('HOLDFAST_HEADER_X_API_KEY');
  expect(headerVariable('a_b')).toBeUndefined();
  const env = { HOLDFAST_HEADER_X_API_KEY: 'k', HOLDFAST_HEADER_: 'none', OTHER: 'x' };
  expect(readHeaderVariables(env)).toEqual({ 'x-api-key': 'k' });
  const missing = await runCli(['gateway', '--url', 'http://127.0.0.1:9/mcp', '--bearer-env', 'NOT_SET']);
  expect(missing).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--bearer-env names NOT_SET, which is not set'),
  });
});
