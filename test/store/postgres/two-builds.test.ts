import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Store } from '../../../src/store/contract.ts';
import type { PostgresStoreOptions } from '../../../src/store/postgres/postgres-options.ts';
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import { submit } from '../sqlite/scratch.ts';
import { PostgresScratch } from './scratch.ts';

const SCHEMA_FILE = '../../../src/store/postgres/schema.ts';
const scratch = new PostgresScratch();
const opened: Store[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close()));
});

type Open = (options: PostgresStoreOptions) => Promise<Store>;

/** The same code as a build that has one more migration. */
async function loadNewerBuild(): Promise<Open> {
  vi.resetModules();
  vi.doMock(SCHEMA_FILE, async (load) => {
    const schema = await load<typeof import('../../../src/store/postgres/schema.ts')>();
    return { ...schema, MIGRATIONS: [...schema.MIGRATIONS, 'ALTER TABLE @task ADD COLUMN colour text'] };
  });
  try {
    return (await import('../../../src/store/postgres/postgres-store.ts')).openPostgresStore;
  } finally {
    vi.doUnmock(SCHEMA_FILE);
    vi.resetModules();
  }
}

async function openIn(schema: string, open: Open): Promise<Store> {
  const store = await open({ url: scratch.cluster.url(), schema, onError: () => {} });
  opened.push(store);
  return store;
}

describe('two builds with different migrations on one schema', () => {
  it('[PG-267] open it at once: the newer one always can, and the older one can or is told why not', async () => {
    const newer = await loadNewerBuild();
    const schema = scratch.toSchema();
    const builds = [openPostgresStore, newer, openPostgresStore, newer, openPostgresStore, newer];
    const results = await Promise.allSettled(builds.map((open) => openIn(schema, open)));
    for (const [place, result] of results.entries()) {
      if (builds[place] === newer) expect(result.status).toBe('fulfilled');
      else if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'STORE_SCHEMA_NEWER' });
    }
  });

  it('[PG-267] the older one writes nothing any more once the newer one has migrated, and says so', async () => {
    const newer = await loadNewerBuild();
    const schema = scratch.toSchema();
    const old = await openIn(schema, openPostgresStore);
    const before = await submit(old);
    // Some come before the migration and some after; none is half there.
    const tries = Array.from({ length: 20 }, () => submit(old));
    const results = await Promise.allSettled([openIn(schema, newer), ...tries]);
    await expect(submit(old)).rejects.toMatchObject({ code: 'STORE_SCHEMA_NEWER' });
    const [fresh] = results.splice(0, 1);
    if (fresh?.status !== 'fulfilled') return expect.unreachable('the newer build could not open the store');
    const made = results.flatMap((result) =>
      result.status === 'fulfilled' ? [(result.value as { taskId: string }).taskId] : [],
    );
    const { tasks } = await (fresh.value as Store).tasks.list({ limit: 100 });
    expect(tasks.map(({ taskId }) => taskId).sort()).toEqual([before.taskId, ...made].sort());
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'STORE_SCHEMA_NEWER' });
    }
  });
});
