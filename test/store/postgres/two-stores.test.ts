import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { describeSharedStore } from '../../../src/testing/shared-store-contract.ts';
import { PostgresScratch } from './scratch.ts';

const scratch = new PostgresScratch();

describeSharedStore(
  '[PG-110] two PostgreSQL stores in one schema',
  async (clock) => {
    const schema = scratch.toSchema();
    const open = () => scratch.open({ schema, clock });
    return [await open(), await open(), scratch.toHoldTask(schema)];
  },
  { describe, it },
);

describe('in one file', () => {
  let directory: string;
  let opened = 0;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'holdfast-shared-'));
  });
  afterAll(() => rm(directory, { recursive: true }));

  describeSharedStore(
    '[PG-110] two SQLite stores',
    async (clock) => {
      opened += 1;
      const path = join(directory, `${opened}`, 'tasks.db');
      const open = () => openSqliteStore({ path, clock, synchronous: 'normal' });
      return [await open(), await open()];
    },
    { describe, it },
  );
});
