// @ts-check
/** Runs the published store contract under node:test, on the SQLite that this Node has built in. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { openSqliteStore } from 'holdfast';
import { describeStore } from 'holdfast/testing';

const folder = await mkdtemp(join(tmpdir(), 'holdfast-runtime-'));
let stores = 0;

describeStore(
  'the SQLite store',
  (clock) => {
    stores += 1;
    return openSqliteStore({ path: join(folder, `${stores}`, 'tasks.db'), ...(clock && { clock }) });
  },
  { describe, it },
);

void it('used the SQLite of this Node and not the package', () => {
  assert.ok(stores > 0);
  const loaded = Object.keys(createRequire(import.meta.url).cache);
  assert.deepEqual(
    loaded.filter((file) => file.includes('@photostructure')),
    [],
  );
});

after(() => rm(folder, { recursive: true, force: true }));
