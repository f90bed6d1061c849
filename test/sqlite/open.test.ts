import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { openDriver } from '../../src/sqlite/driver.ts';
import { type OpenOptions, openDatabase } from '../../src/sqlite/open.ts';
import { INSERT_ITEM, ITEMS, NEWER_ITEMS, namesIn, Scratch } from './scratch.ts';

const scratch = new Scratch();
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
const refusal = (options: Partial<OpenOptions>) => {
  try {
    openDatabase({ path: scratch.path(), schema: ITEMS, ...options }).close();
  } catch (error) {
    return error;
  }
};

it('[STORE-22] makes the directory 0700 and every file 0600, whatever the mask', () => {
  const mask = process.umask(0);
  try {
    const db = scratch.open({ path: scratch.path('new', 'deeper', 'items.db') });
    db.insert(INSERT_ITEM, 'a', '');
    expect(modeOf(scratch.path('new'))).toBe('700');
    expect(modeOf(scratch.path('new', 'deeper'))).toBe('700');
    const files = readdirSync(scratch.path('new', 'deeper')).sort();
    expect(files).toEqual(['items.db', 'items.db-shm', 'items.db-wal']);
    expect(files.map((file) => modeOf(scratch.path('new', 'deeper', file)))).toEqual(['600', '600', '600']);
  } finally {
    process.umask(mask);
  }
});

it('leaves the mode of a directory that was there', () => {
  mkdirSync(scratch.path('mine'));
  chmodSync(scratch.path('mine'), 0o750);
  scratch.open({ path: scratch.path('mine', 'items.db') });
  expect(modeOf(scratch.path('mine'))).toBe('750');
});

it('[STORE-09] keeps a write-ahead log and waits for the disk unless told otherwise', () => {
  const settingsOf = (options: Partial<OpenOptions>) => {
    const db = scratch.open(options);
    return ['journal_mode', 'synchronous', 'busy_timeout'].map((name) =>
      Object.values(db.get<object>(`PRAGMA ${name}`) ?? {}).at(0),
    );
  };
  expect(settingsOf({})).toEqual(['wal', 2, 0]);
  expect(settingsOf({ synchronous: 'normal' })).toEqual(['wal', 1, 0]);
});

it('[STORE-13] brings an older schema forward and keeps what is in it', () => {
  scratch.open().insert(INSERT_ITEM, 'old', '');
  const db = scratch.open({ schema: NEWER_ITEMS });
  expect(namesIn(db)).toEqual(['old']);
  expect(db.get('SELECT colour FROM item')).toEqual({ colour: null });
});

it('leaves the schema as it was when a migration fails', () => {
  scratch.open().insert(INSERT_ITEM, 'old', '');
  const broken = { ...ITEMS, migrations: [...ITEMS.migrations, 'CREATE TABLE extra (x); CREATE TABLE item (y)'] };
  expect(refusal({ schema: broken })).toMatchObject({ code: 'STORE_FAILED' });
  const db = scratch.open();
  expect(namesIn(db)).toEqual(['old']);
  expect(db.get(`SELECT 1 FROM sqlite_schema WHERE name = 'extra'`)).toBeUndefined();
});

it('[STORE-18] says which versions meet when the schema is newer than the program', () => {
  scratch.open({ schema: NEWER_ITEMS });
  const error = refusal({});
  expect(error).toMatchObject({ code: 'STORE_SCHEMA_NEWER', data: { found: 2, known: 1 } });
  expect(String(error)).toMatch(/items\.db has schema version 2, this Holdfast knows up to 1; upgrade/);
});

it('makes a new database whole or not at all', () => {
  const broken = { ...ITEMS, migrations: [...ITEMS.migrations, 'CREATE TABLE item (y)'] };
  expect(() => scratch.open({ schema: broken })).toThrow();
  const db = scratch.open({ schema: { ...ITEMS, migrations: [] } });
  expect(db.all('SELECT name FROM sqlite_schema')).toEqual([]);
});

it('[STORE-19] says that an older schema cannot be migrated when it is opened read-only', () => {
  scratch.open();
  const error = refusal({ schema: NEWER_ITEMS, readOnly: true });
  expect(error).toMatchObject({ code: 'STORE_SCHEMA_OLDER', data: { found: 1, known: 2 } });
  expect(String(error)).toMatch(/open it once for writing/);
});

it('[STORE-21] refuses the database of another program and does not touch it', () => {
  const foreign = openDriver(scratch.path(), { readOnly: false });
  foreign.exec('CREATE TABLE theirs (x)');
  foreign.close();
  const before = readFileSync(scratch.path());
  expect(refusal({})).toMatchObject({ code: 'STORE_FOREIGN' });
  expect(refusal({ schema: { ...ITEMS, applicationId: 1 } })).toMatchObject({ code: 'STORE_FOREIGN' });
  expect(readFileSync(scratch.path()).equals(before)).toBe(true);
});

it('refuses a database with the mark of another program, even with the same tables', () => {
  scratch.open();
  expect(refusal({ schema: { ...ITEMS, applicationId: 99 } })).toMatchObject({ code: 'STORE_FOREIGN' });
});

it('[STORE-20] names a file that is no database as corrupt, and leaves it alone', () => {
  writeFileSync(scratch.path(), 'this is not a database, it only sits where one should be'.repeat(40));
  const before = readFileSync(scratch.path());
  const error = refusal({});
  expect(error).toMatchObject({ code: 'STORE_CORRUPT' });
  expect(String(error)).toContain(scratch.path());
  expect(readFileSync(scratch.path()).equals(before)).toBe(true);
});

it('[STORE-20] names damage inside a database as corrupt when it is met', () => {
  const db = scratch.open();
  for (let i = 0; i < 200; i += 1) db.insert(INSERT_ITEM, `item ${i}`, 'x'.repeat(500));
  db.close();
  const bytes = readFileSync(scratch.path());
  bytes.fill(0xff, 4096 * 2);
  writeFileSync(scratch.path(), bytes);
  expect(() => namesIn(scratch.open())).toThrow(expect.objectContaining({ code: 'STORE_CORRUPT' }));
});

it('does not make what it was told not to make', () => {
  expect(refusal({ create: false })).toMatchObject({ code: 'STORE_NOT_FOUND' });
  expect(refusal({ readOnly: true })).toMatchObject({ code: 'STORE_NOT_FOUND' });
  expect(existsSync(scratch.path())).toBe(false);
});

it('names a path it cannot use', () => {
  writeFileSync(scratch.path('file'), '');
  mkdirSync(scratch.path('directory'));
  expect(refusal({ path: scratch.path('file', 'items.db') })).toMatchObject({ code: 'STORE_NO_ACCESS' });
  expect(refusal({ path: scratch.path('directory') })).toMatchObject({ code: 'STORE_NO_ACCESS' });
});

it('reads but does not write when opened read-only', () => {
  scratch.open().insert(INSERT_ITEM, 'a', '');
  const db = scratch.open({ readOnly: true });
  expect(namesIn(db)).toEqual(['a']);
  expect(() => db.insert(INSERT_ITEM, 'b', '')).toThrow(expect.objectContaining({ code: 'STORE_READ_ONLY' }));
});

it('names a database that somebody else keeps to himself as locked', () => {
  const selfish = openDriver(scratch.path(), { readOnly: false });
  selfish.exec('PRAGMA locking_mode = EXCLUSIVE; CREATE TABLE theirs (x)');
  expect(refusal({})).toMatchObject({ code: 'STORE_LOCKED' });
  selfish.close();
});

it('says that a closed database is closed', () => {
  const db = scratch.open();
  db.close();
  db.close();
  expect(() => namesIn(db)).toThrow(expect.objectContaining({ code: 'STORE_CLOSED' }));
});

it('says so however long ago it was closed, when its log has gone too', () => {
  const db = scratch.open();
  db.insert(INSERT_ITEM, 'a', '');
  db.close();
  const later = performance.now() + 60_000;
  using _ = vi.spyOn(performance, 'now').mockReturnValue(later);
  expect(() => namesIn(db)).toThrow(expect.objectContaining({ code: 'STORE_CLOSED' }));
});
