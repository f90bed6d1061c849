import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteFile, type Schema, type SqliteFile } from 'holdfast/app-kit';
import { expect, it, onTestFinished } from 'vitest';

const FIRST: Schema = {
  applicationId: 0x74657374,
  migrations: ['CREATE TABLE note (id INTEGER PRIMARY KEY, t TEXT)'],
};
const SECOND: Schema = { ...FIRST, migrations: [...FIRST.migrations, 'ALTER TABLE note ADD COLUMN at INTEGER'] };

async function openFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-app-kit-'));
  const opened: SqliteFile[] = [];
  onTestFinished(async () => {
    for (const file of opened) await file.close();
    await rm(folder, { recursive: true });
  });
  const path = join(folder, 'notes.db');
  return (schema: Schema) => {
    const file = openSqliteFile({ path, schema });
    opened.push(file);
    return file;
  };
}

it('[ROOMS-180] a transaction is written whole or not at all, and seen by whoever opens the file next', async () => {
  const open = await openFolder();
  const file = open(FIRST);
  const id = await file.write('notes.add', (tx) => tx.insert('INSERT INTO note (t) VALUES (?)', 'one'));
  const failed = file.write('notes.fail', (tx) => {
    tx.insert('INSERT INTO note (t) VALUES (?)', 'half');
    throw new Error('not this one');
  });
  await expect(failed).rejects.toThrow('not this one');
  expect(file.all('SELECT t FROM note')).toEqual([{ t: 'one' }]);
  expect(open(SECOND).get('SELECT t, at FROM note WHERE id = ?', id)).toEqual({ t: 'one', at: null });
});

it('[ROOMS-180] a file of a newer version or of another program is refused', async () => {
  const open = await openFolder();
  open(SECOND);
  expect(() => open(FIRST)).toThrow(expect.objectContaining({ code: 'STORE_SCHEMA_NEWER' }));
  expect(() => open({ ...FIRST, applicationId: 1 })).toThrow(expect.objectContaining({ code: 'STORE_FOREIGN' }));
});
