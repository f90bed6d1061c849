/** What a program of the workload is told by whoever starts it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export interface Surroundings {
  /** Where the store lies. */
  readonly storePath: string;
  readonly journalDir: string;
  readonly leaseMs: number;
  readonly port: number;
  /** How long between two calls, on average. */
  readonly paceMs: number;
  /** No new work is asked for any more. */
  isCalm(): boolean;
}

export function readSurroundings(env: NodeJS.ProcessEnv = process.env): Surroundings {
  const dir = env.HOLDFAST_CHAOS_DIR ?? '.';
  return {
    storePath: join(dir, 'store', 'tasks.db'),
    journalDir: join(dir, 'journal'),
    leaseMs: Number(env.HOLDFAST_CHAOS_LEASE_MS ?? 3000),
    port: Number(env.HOLDFAST_CHAOS_PORT ?? 0),
    paceMs: Number(env.HOLDFAST_CHAOS_PACE_MS ?? 400),
    isCalm: () => existsSync(join(dir, 'calm')),
  };
}
