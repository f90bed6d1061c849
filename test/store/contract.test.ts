import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { createMemoryStore } from '../../src/store/memory/memory-store.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { describeStore } from '../../src/testing/store-contract.ts';

describeStore('[STORE-02] the memory store', async (clock) => createMemoryStore({ clock }), { describe, it });

describe('on disk', () => {
  let directory: string;
  let opened = 0;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'holdfast-contract-'));
  });
  afterAll(() => rm(directory, { recursive: true }));

  const open = (clock: Parameters<Parameters<typeof describeStore>[1]>[0]) => {
    opened += 1;
    return openSqliteStore({ path: join(directory, `${opened}`, 'tasks.db'), clock });
  };
  describeStore('[STORE-03] the SQLite store', open, { describe, it });
});
