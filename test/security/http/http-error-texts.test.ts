/** What somebody on another machine learns of this one from errors. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, openSqliteStore } from 'holdfast';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { openHttp, postModern, readJson } from '../../server/open-http.ts';

const OWN = '/opt/owner/bin/no-such-program';

function verify(request: Request) {
  const subject = request.headers.get('x-user');
  return subject ? { issuer: 'https://id.example', subject } : undefined;
}

async function call(url: string, name: string, args: object = {}): Promise<string> {
  const params = { name, arguments: args };
  const response = await postModern(url, { method: 'tools/call', params, headers: { 'x-user': 'mallory' } });
  return JSON.stringify(await readJson(response));
}

it('[SEC-502] the list of tasks names no program of the machine when one could not be started', async () => {
  const rig = await openHttp();
  const url = await rig.serve({ verify }, (server) => {
    server.tool('build', { run: async (_, task) => void (await task.spawn(OWN)) });
  });
  expect(await call(url, 'build')).toContain('could not start a program');
  const listed = await call(url, 'task_list');
  expect(listed).toContain('build ended as failed: The server could not start a program');
  expect(listed).not.toContain(OWN);
});

it('[SEC-502] no answer names the key file of the store', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-error-texts-'));
  await writeFile(join(directory, 'local.key'), 'no key', { mode: 0o600 });
  const errors: unknown[] = [];
  const store = await openSqliteStore({ path: join(directory, 'tasks.db') });
  const onError = (error: unknown) => void errors.push(error);
  const server = createServer({
    name: 'test',
    version: '1',
    identity: 'test',
    workers: 'inline',
    store,
    verify,
    onError,
  });
  server.tool('login', { redact: ['password'], input: z.object({ password: z.string() }), run: () => 'in' });
  const { url, close } = await server.listen({ port: 0 });
  onTestFinished(async () => {
    await close();
    await server.close();
    await store.close();
    await rm(directory, { recursive: true });
  });
  const answer = await call(url, 'login', { password: 'x' });
  expect(answer).toContain('its owner finds the reason in its log');
  expect(answer).not.toContain(directory);
  expect(String(errors)).toContain(join(directory, 'local.key'));
});
