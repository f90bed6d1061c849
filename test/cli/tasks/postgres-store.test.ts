import { openPostgresStore } from 'holdfast/postgres';
import { expect, it, onTestFinished } from 'vitest';
import { PASSWORD } from '../../store/postgres/cluster.ts';
import { PostgresScratch } from '../../store/postgres/scratch.ts';
import { submit } from '../../store/sqlite-scratch.ts';
import { runCli } from '../run-cli.ts';

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
  expect(await runCli(['tasks', 'cancel', taskId], env)).toMatchObject({ code: 0, stdout: `cancelled ${taskId}\n` });
  expect((await store.tasks.get({ taskId }))?.status).toBe('cancelled');
});

it('[PG-140] [PG-141] the same by --store with the password elsewhere; one in the address is refused', async () => {
  const { store, address } = await openStore();
  const { taskId } = await submit(store);
  const url = new URL(address);
  url.password = '';
  const shown = await runCli(['tasks', 'show', taskId, '--store', url.href], { PGPASSWORD: PASSWORD });
  expect(shown.stdout).toContain(taskId);
  const refused = await runCli(['tasks', 'list', '--store', address]);
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toMatch(/--store holds a password.*HOLDFAST_STORE.*PGPASSWORD/);
  expect(refused.stderr).not.toContain(encodeURIComponent(PASSWORD));
});
