import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openPostgresStore } from 'holdfast/postgres';
import { expect, it, onTestFinished } from 'vitest';
import { PASSWORD } from '../../store/postgres/cluster.ts';
import { PostgresScratch } from '../../store/postgres/scratch.ts';
import { submit } from '../../store/sqlite/scratch.ts';
import { runCli, startCli } from '../run-cli.ts';
import { runHere, runHereWith } from '../run-here.ts';

const scratch = new PostgresScratch();

async function openStore() {
  const [url, schema] = [scratch.cluster.url(), scratch.toSchema()];
  const store = await openPostgresStore({ url, schema });
  onTestFinished(() => store.close());
  return { store, address: `${url}?schema=${schema}` };
}

it('[PG-140] commands on tasks find a store in PostgreSQL by HOLDFAST_STORE', async () => {
  const { store, address } = await openStore();
  const { taskId } = await submit(store);
  const env = { HOLDFAST_STORE: address };
  const list = await runCli(['tasks', 'list', '--json'], env);
  expect(list).toMatchObject({ code: 0, stderr: '' });
  expect(list.stdout).toContain(taskId);
  expect(list.stdout).not.toContain(encodeURIComponent(PASSWORD));
  const cancelled = await runHereWith(env, ['tasks', 'cancel', taskId]);
  expect(cancelled).toMatchObject({ code: 0, stdout: `cancelled ${taskId}\n` });
  expect((await store.tasks.get({ taskId }))?.status).toBe('cancelled');
});

it('[PG-140] [PG-141] the same by --store with the password elsewhere; one in the address is refused', async () => {
  const { store, address } = await openStore();
  const { taskId } = await submit(store);
  const url = new URL(address);
  url.password = '';
  const shown = await runCli(['tasks', 'show', taskId, '--store', url.href], { PGPASSWORD: PASSWORD });
  expect(shown.stdout).toContain(taskId);
  const refused = await runHere(['tasks', 'list', '--store', address]);
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toMatch(/--store holds a password.*HOLDFAST_STORE.*PGPASSWORD/);
  expect(refused.stderr).not.toContain(encodeURIComponent(PASSWORD));
});

it('[PG-245] the dashboard shows a store in PostgreSQL, live', async () => {
  const { store, address } = await openStore();
  const { taskId } = await submit(store);
  const state = await mkdtemp(join(tmpdir(), 'holdfast-page-'));
  onTestFinished(() => rm(state, { recursive: true }));
  const child = startCli(['dashboard', '--port', '0', '--json'], { HOLDFAST_STORE: address, HOLDFAST_DIR: state });
  const ended = once(child, 'close');
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const { port, token } = JSON.parse(line) as { port: number; token: string };
  const headers = { authorization: `Bearer ${token}` };
  const shown = await (await fetch(`http://127.0.0.1:${port}/api/tasks`, { headers })).json();
  expect(shown).toMatchObject({ tasks: [{ taskId, status: 'queued' }] });
  expect(line).not.toContain(encodeURIComponent(PASSWORD));
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});
