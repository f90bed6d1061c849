import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { openPostgresStore } from 'holdfast/postgres';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fetchDebianPackage } from '../../../scripts/debian-package.mjs';
import { asNobody, findPort, giveToNobody, PASSWORD } from '../../../scripts/postgres-cluster.mjs';
import { openHeartbeat } from '../../../src/store/postgres/workers/heartbeat.ts';
import { until } from '../../../src/testing/until.ts';
import { cycles, expectOnceEach } from '../../store/postgres/once-each.ts';
import { PostgresScratch } from '../../store/postgres/scratch.ts';
import { submit, WORKER } from '../../store/sqlite/scratch.ts';
import { openDirectory, openPatient, through } from './own-cluster.ts';

const PGBOUNCER = '/usr/sbin/pgbouncer';
const program = await fetchDebianPackage('pgbouncer', () => (existsSync(PGBOUNCER) ? PGBOUNCER : undefined));
const scratch = new PostgresScratch();

/** PgBouncer in front of the cluster of this run, with a server connection for each transaction only. */
async function openPooler(): Promise<string> {
  const directory = await openDirectory();
  const port = await findPort();
  const users = join(directory, 'users.txt');
  const settings = join(directory, 'pgbouncer.ini');
  writeFileSync(users, `"owner" "${PASSWORD}"\n`);
  writeFileSync(
    settings,
    `[databases]
postgres = host=127.0.0.1 port=${scratch.cluster.port} dbname=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = transaction
default_pool_size = 4
`,
  );
  for (const path of [directory, users, settings]) giveToNobody(path);
  const child = spawn(program ?? PGBOUNCER, [settings], { ...asNobody(), stdio: 'ignore' });
  onTestFinished(async () => {
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  });
  await until(() => isOpen(port), { what: 'PgBouncer', timeoutMs: 60_000 });
  return through(scratch.cluster.url(), port);
}

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

describe.skipIf(program === undefined)('PgBouncer in transaction mode', () => {
  it('[PG-265] carries a store and its heartbeats, with LISTEN on an address of its own', async () => {
    const url = await openPooler();
    const [schema, listenUrl] = [scratch.toSchema(), scratch.cluster.url()];
    const errors: unknown[] = [];
    const onError = (error: unknown) => void errors.push(error);
    const store = await openPatient(url, { schema, listenUrl, prepare: false, onError });
    const heard: string[] = [];
    store.changes.subscribe((changes) => void heard.push(...changes.map(({ type }) => type)));
    const heart = openHeartbeat({ url, schema, prepare: false });
    expect(await heart.renew('w1', 60_000)).toBe('ready');
    await heart.close();
    await cycles(store, { many: 40, lanes: 8 });
    await expectOnceEach(store, 40);
    const other = await openPostgresStore({ url: listenUrl, schema });
    onTestFinished(() => other.close());
    await submit(other);
    await until(() => heard.filter((type) => type === 'submitted').length === 41, { what: 'news', timeoutMs: 60_000 });
    expect(errors).toEqual([]);
  });

  it('[PG-266] without such an address is told of; what is written is heard of all the same', async () => {
    const url = await openPooler();
    const schema = scratch.toSchema();
    const errors: Error[] = [];
    const onError = (error: unknown) => void errors.push(error as Error);
    const store = await openPatient(url, { schema, prepare: false, onError });
    let heard = 0;
    store.changes.subscribe((changes) => {
      heard += changes.length;
    });
    await submit(store);
    const isTold = () => errors.some(({ message }) => message.includes('listenUrl'));
    await until(isTold, { what: 'the warning', timeoutMs: 60_000 });
    const other = await openPostgresStore({ url: scratch.cluster.url(), schema });
    onTestFinished(() => other.close());
    await submit(other);
    await until(() => heard === 2, { what: 'news', timeoutMs: 60_000 });
  });

  it('[PG-266] with prepared statements is refused by a word that says what to set', async () => {
    const url = await openPooler();
    const schema = scratch.toSchema();
    await (await openPostgresStore({ url: scratch.cluster.url(), schema })).close();
    const use = async () => {
      // Which server connection gets which statement is chance.
      for (let tries = 0; tries < 50; tries++) {
        const store = await openPostgresStore({ url, schema, patienceMs: 0, onError: () => {} });
        try {
          await store.workers.register(WORKER);
          await cycles(store, { many: 20, lanes: 4 });
        } finally {
          await store.close();
        }
      }
    };
    await expect(use()).rejects.toMatchObject({
      code: 'STORE_FAILED',
      message: expect.stringContaining('prepare: false'),
    });
  });
});
