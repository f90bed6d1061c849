import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openSqliteStore } from 'holdfast';
import { until } from 'holdfast/testing';
import { onTestFinished } from 'vitest';

const PROGRAM = fileURLToPath(new URL('../programs/reports-server.js', import.meta.url));

/** A directory for a server's store; when the test ends its worker has ended too. */
export interface Site {
  readonly dir: string;
  /** How a client starts the server on stdio. */
  readonly command: { readonly command: string; readonly args: string[]; readonly stderr: 'inherit' };
  /** What tools noted, one line per run. */
  runs(): string[];
  /** The process of the detached worker. */
  workerPid(): Promise<number>;
}

export async function openSite(): Promise<Site> {
  const dir = await mkdtemp(join(tmpdir(), 'holdfast-e2e-'));
  const store = await openSqliteStore({ path: join(dir, 'tasks.db') });
  onTestFinished(async () => {
    await until(async () => (await store.workers.list()).length === 0, { what: 'the worker to end' });
    await store.close();
    await rm(dir, { recursive: true });
  });
  const notes = join(dir, 'runs.txt');
  return {
    dir,
    command: { command: process.execPath, args: [PROGRAM, dir], stderr: 'inherit' },
    runs: () => (existsSync(notes) ? readFileSync(notes, 'utf8').trimEnd().split('\n') : []),
    async workerPid() {
      const worker = await until(async () => (await store.workers.list()).find(({ state }) => state === 'ready'));
      return worker.process?.pid ?? 0;
    },
  };
}
