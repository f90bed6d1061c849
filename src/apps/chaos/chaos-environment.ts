/** What a program of the workload gets from the process that starts it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openSqliteStore, type Store } from '../../index.ts';

export interface ChaosEnvironment {
  /** A file of the run, or a schema of a database. */
  openStore(): Promise<Store>;
  readonly journalDir: string;
  readonly leaseMs: number;
  readonly port: number;
  /** Average time between two calls, in ms. */
  readonly paceMs: number;
  /** Whether to submit no more work. */
  isCalm(): boolean;
}

export function readChaosEnvironment(env: NodeJS.ProcessEnv = process.env): ChaosEnvironment {
  const dir = env.HOLDFAST_CHAOS_DIR ?? '.';
  return {
    openStore: () => openOwnStore(join(dir, 'store'), env.HOLDFAST_CHAOS_DATABASE),
    journalDir: join(dir, 'journal'),
    leaseMs: Number(env.HOLDFAST_CHAOS_LEASE_MS ?? 3000),
    port: Number(env.HOLDFAST_CHAOS_PORT ?? 0),
    paceMs: Number(env.HOLDFAST_CHAOS_PACE_MS ?? 400),
    isCalm: () => existsSync(join(dir, 'calm')),
  };
}

async function openOwnStore(directory: string, database: string | undefined): Promise<Store> {
  if (database === undefined) return openSqliteStore({ path: join(directory, 'tasks.db') });
  const { openPostgresStore } = await import('../../store/postgres/index.ts');
  return openPostgresStore({ ...(JSON.parse(database) as { url: string; schema: string }), directory });
}
