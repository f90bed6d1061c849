/** Clusters that a test may break: its own, that keep what they acknowledge, and gone afterwards. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from 'holdfast';
import { openPostgresStore, type PostgresStoreOptions } from 'holdfast/postgres';
import { onTestFinished } from 'vitest';
import { type Cluster, makeCluster, makeStandby, type Settings } from '../../../scripts/postgres-cluster.mjs';
import { WORKER } from '../../store/sqlite/scratch.ts';

/** A directory for what belongs to the server, which runs as another user when tests run as root. */
export async function openDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-own-cluster-'));
  await chmod(directory, 0o755);
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

export async function openCluster(settings: Settings = {}): Promise<Cluster> {
  const cluster = await makeCluster(join(await openDirectory(), 'cluster'), { isDurable: true, settings });
  onTestFinished(() => cluster.stop('immediate').catch(() => {}));
  return cluster;
}

export async function openStandby(primary: Cluster) {
  const standby = await makeStandby(primary, join(await openDirectory(), 'standby'));
  onTestFinished(() => standby.stop('immediate').catch(() => {}));
  return standby;
}

/** A store that goes on trying for as long as a test may take, with a worker. */
export async function openPatient(url: string, options: Partial<PostgresStoreOptions> = {}): Promise<Store> {
  const store = await openPostgresStore({ url, patienceMs: 110_000, onError: () => {}, ...options });
  onTestFinished(() => store.close());
  await store.workers.register(WORKER);
  return store;
}

/** The same address by another port. */
export function through(url: string, port: number): string {
  return Object.assign(new URL(url), { port: String(port) }).href;
}
