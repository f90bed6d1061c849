/** A database file that is taken away under a connection. */
import { copyFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { until } from 'holdfast/testing';
import { expect, it } from 'vitest';
import type { Database } from '../../src/sqlite/database.ts';
import { Writer } from '../../src/sqlite/writer.ts';
import { INSERT_ITEM, namesIn, Scratch } from './scratch.ts';

const scratch = new Scratch();
const gone = (text: string) => ({ code: 'STORE_GONE', message: expect.stringContaining(text) });
const write = (writer: Writer, name: string) => writer.run('item', (tx) => tx.insert(INSERT_ITEM, name, ''));
const openWriter = (db: Database = scratch.open()) => new Writer(db, { version: 1 });

/** Resolves with the error that a read meets sooner or later: reads do not look each time. */
async function failureOfRead(db: Database): Promise<unknown> {
  let failure: unknown;
  await until(() => {
    try {
      namesIn(db);
    } catch (error) {
      failure = error;
    }
    return failure !== undefined;
  });
  return failure;
}

const FAULTS: readonly [string, string, (path: string) => void][] = [
  ['deleted', 'was deleted or moved', (path) => rmSync(path)],
  ['moved away', 'was deleted or moved', (path) => renameSync(path, `${path}.old`)],
  ['cut to nothing', 'was cut to nothing', (path) => truncateSync(path, 0)],
  [
    'replaced by a copy',
    'was replaced',
    (path) => {
      copyFileSync(path, `${path}.copy`);
      renameSync(`${path}.copy`, path);
    },
  ],
];

it.each(FAULTS)('[BAD-300] a write into a file that was %s is not acknowledged', async (_, text, harm) => {
  const db = scratch.open();
  const writer = openWriter(db);
  await write(writer, 'before');
  harm(db.path);
  const writes = await Promise.allSettled([write(writer, 'a'), write(writer, 'b'), write(writer, 'c')]);
  for (const one of writes) expect(one).toMatchObject({ status: 'rejected', reason: gone(text) });
  await expect(write(writer, 'later')).rejects.toMatchObject(gone(text));
});

it('[BAD-300] what was refused while the file was away is not in it when the file comes back, and work goes on', async () => {
  const db = scratch.open();
  const writer = openWriter(db);
  await write(writer, 'before');
  renameSync(db.path, `${db.path}.away`);
  await expect(write(writer, 'refused')).rejects.toMatchObject(gone('was deleted or moved away'));
  renameSync(`${db.path}.away`, db.path);
  await write(writer, 'after');
  expect(namesIn(scratch.open())).toEqual(['before', 'after']);
});

it('[BAD-301] a log that was deleted or replaced is noticed by writes and by reads', async () => {
  const db = scratch.open();
  const reader = scratch.open();
  const writer = openWriter(db);
  await write(writer, 'before');
  rmSync(`${db.path}-wal`);
  expect(await failureOfRead(reader)).toMatchObject(gone('-wal was deleted'));
  writeFileSync(`${db.path}-wal`, '');
  let failure: unknown;
  await until(async () => {
    await write(writer, 'x').catch((error: unknown) => {
      failure = error;
    });
    return failure !== undefined;
  });
  expect(failure).toMatchObject(gone('-wal was'));
});

it('[BAD-302] an empty file in the place of a database is refused and left as it is', () => {
  scratch.open().close();
  truncateSync(scratch.path(), 0);
  rmSync(`${scratch.path()}-wal`, { force: true });
  expect(() => scratch.open()).toThrow(expect.objectContaining(gone('is empty, which a database never is')));
});

it('[BAD-303] a reader hears that the file is gone', async () => {
  const db = scratch.open();
  rmSync(db.path);
  expect(await failureOfRead(db)).toMatchObject(gone('was deleted'));
});
