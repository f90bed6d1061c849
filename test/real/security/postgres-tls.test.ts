import { execFile } from 'node:child_process';
import { chmodSync, chownSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openPostgresStore } from 'holdfast/postgres';
import { Pool } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { makeCluster } from '../../store/postgres/cluster.ts';

const run = promisify(execFile);
const NOBODY = 65_534;

/** A server that takes connections with TLS only, by a certificate that it has signed itself. */
async function openTlsCluster() {
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-tls-'));
  chmodSync(directory, 0o755);
  const [key, certificate] = [join(directory, 'server.key'), join(directory, 'server.crt')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2'];
  await run('openssl', [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-keyout',
    key,
    '-out',
    certificate,
    ...subject,
  ]);
  chmodSync(key, 0o600);
  if (process.getuid?.() === 0) chownSync(key, NOBODY, NOBODY);
  const settings = { ssl: 'on', ssl_cert_file: certificate, ssl_key_file: key };
  const cluster = await makeCluster(join(directory, 'cluster'), { settings });
  onTestFinished(async () => {
    await cluster.stop('immediate');
    await rm(directory, { recursive: true });
  });
  const admin = new Pool({ connectionString: cluster.url(), max: 1 });
  writeFileSync(join(directory, 'cluster', 'data', 'pg_hba.conf'), 'hostssl all all 127.0.0.1/32 scram-sha-256\n');
  await admin.query('SELECT pg_reload_conf()');
  await admin.end();
  return { cluster, certificate };
}

it('[PG-243] TLS that is required, not trusted or trusted is named, or just works', async () => {
  const { cluster, certificate } = await openTlsCluster();
  const url = cluster.url();
  await expect(openPostgresStore({ url })).rejects.toMatchObject({
    code: 'STORE_NO_ACCESS',
    message: expect.stringMatching(/pg_hba\.conf, TLS/),
  });
  await expect(openPostgresStore({ url: `${url}?sslmode=verify-full` })).rejects.toMatchObject({
    code: 'STORE_NO_ACCESS',
    message: expect.stringMatching(/no agreement on TLS .*sslmode/),
  });
  const store = await openPostgresStore({ url: `${url}?sslmode=verify-full&sslrootcert=${certificate}` });
  expect(await store.workers.list()).toEqual([]);
  await store.close();
});
