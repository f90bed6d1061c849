/**
 * A private PostgreSQL for tests: one cluster for a whole run, on a free port, started by the first file that needs it and
 * removed when the run ends (`test/postgres-cluster.ts`).
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Cluster, findPostgres, makeCluster, toCluster } from '../../../scripts/servers/postgres-cluster.mjs';
import { until } from '../../../src/testing/until.ts';

export { type Cluster, makeCluster, PASSWORD } from '../../../scripts/servers/postgres-cluster.mjs';

/** Where the run keeps its cluster; set by `test/postgres-cluster.ts`. */
export const PLACE = 'HOLDFAST_TEST_POSTGRES';

/** The cluster of this run. */
export async function findCluster(): Promise<Cluster> {
  const directory = process.env[PLACE];
  if (directory === undefined) throw new Error(`${PLACE} is not set: test/postgres-cluster.ts has not run`);
  const ready = join(directory, 'ready');
  if (isFirst(join(directory, 'begun'))) {
    const cluster = await makeCluster(join(directory, 'cluster'));
    writeFileSync(ready, String(cluster.port));
  }
  await until(() => existsSync(ready) && readFileSync(ready, 'utf8') !== '', {
    what: 'PostgreSQL',
    timeoutMs: 110_000,
  });
  return toCluster(join(directory, 'cluster'), {
    port: Number(readFileSync(ready, 'utf8')),
    bin: await findPostgres(),
  });
}

/** Ends and removes what a run has left. */
export async function removeCluster(directory: string): Promise<void> {
  const pidFile = join(directory, 'cluster', 'data', 'postmaster.pid');
  if (existsSync(pidFile)) {
    const pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0]);
    kill(pid, 'SIGQUIT');
    await until(() => !kill(pid, 0), { what: 'PostgreSQL to end', timeoutMs: 30_000 });
  }
  rmSync(directory, { recursive: true, force: true });
}

function kill(pid: number, signal: 'SIGQUIT' | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

function isFirst(directory: string): boolean {
  try {
    mkdirSync(directory);
    return true;
  } catch {
    return false;
  }
}
