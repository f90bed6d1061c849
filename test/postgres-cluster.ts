/** Creates and removes the folder of a test run's PostgreSQL cluster. The first test that needs the cluster starts it. */
import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PLACE, removeCluster } from './store/postgres/cluster.ts';

let made: string | undefined;

export function setup(): void {
  made ??= mkdtempSync(join(tmpdir(), `holdfast-postgres-${process.pid}-`));
  // The server runs as another user if tests run as root.
  chmodSync(made, 0o755);
  process.env[PLACE] = made;
}

export async function teardown(): Promise<void> {
  if (made !== undefined) await removeCluster(made);
}
