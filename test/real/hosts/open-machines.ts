/** Three machines of one name on one network, and a database there that all of them use. */
import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdirSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPostgresStore } from 'holdfast/postgres';
import { onTestFinished } from 'vitest';
import type { Store } from '../../../src/store/contract.ts';
import { programPath } from '../../programs/program-path.js';
import { makeCluster } from '../../store/postgres/cluster.ts';
import { type Life, Machine } from './machine.ts';

/** Clocks that are two minutes ahead, two minutes behind, and right. */
const SKEWS_S = [120, -120, 0];
const SCHEMA = 'members';

export interface Machines {
  readonly machines: readonly Machine[];
  /** As it is used from here. */
  readonly store: Store;
  /** A folder that all of them see. */
  readonly shared: string;
}

/** What runs on each machine, told by its place. */
export interface MachinesProgram {
  readonly program: string;
  toArgs?(place: number, shared: string): readonly string[];
  toEnv?(life: Life, shared: string): NodeJS.ProcessEnv;
}

export async function openMachines({ program, toArgs, toEnv }: MachinesProgram): Promise<Machines> {
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-lan-'));
  await chmod(directory, 0o755);
  const shared = join(directory, 'shared');
  mkdirSync(shared);
  const runId = randomUUID();
  const network = `10.${201 + Math.floor(Math.random() * 50)}.${Math.floor(Math.random() * 250)}`;
  const cluster = await makeCluster(join(directory, 'cluster'), { settings: { listen_addresses: '*' } });
  onTestFinished(async () => {
    await cluster.stop('immediate');
    await rm(directory, { recursive: true, force: true });
  });
  appendFileSync(join(cluster.directory, 'data', 'pg_hba.conf'), `host all all ${network}.0/24 scram-sha-256\n`);
  process.kill(cluster.pid(), 'SIGHUP');
  const store = await openPostgresStore({ url: cluster.url(), schema: SCHEMA });
  onTestFinished(() => store.close());
  const machines = SKEWS_S.map((skewS, place) => {
    const args = toArgs?.(place, shared) ?? [];
    return new Machine({
      ...{ place, runId, network, skewS, args, directory },
      program: programPath(`${program}.js`),
      toEnv: (gateway, life) => ({
        HOLDFAST_TEST_URL: cluster.url('postgres', gateway),
        HOLDFAST_TEST_SCHEMA: SCHEMA,
        ...toEnv?.(life, shared),
      }),
    });
  });
  for (const machine of machines) {
    onTestFinished(() => machine.remove());
    await machine.build();
  }
  return { machines, store, shared };
}
