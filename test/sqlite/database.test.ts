import { expect, it } from 'vitest';
import { Database } from '../../src/sqlite/database.ts';
import type { SqliteDriver, SqliteValue } from '../../src/sqlite/driver.ts';
import { toStoreError } from '../../src/sqlite/failure.ts';
import { INSERT_ITEM, Scratch } from './scratch.ts';

const scratch = new Scratch();

const toDriverError = (errcode: number, message = 'it says so') => Object.assign(new Error(message), { errcode });

/** A driver whose statements fail as often as told, and then work. */
function toFailingDriver(failures: Error[], rows: Record<string, SqliteValue>[] = []): SqliteDriver {
  const answer = <T>(value: T) => {
    const failure = failures.shift();
    if (failure) throw failure;
    return value;
  };
  const statement = {
    run: () => answer({ changes: 1, lastInsertRowid: 1 }),
    get: () => answer(rows[0]),
    all: () => answer(rows),
  };
  return { prepare: () => statement, exec: () => {}, close: () => {} };
}

it.each([
  [5, 'STORE_LOCKED'],
  [261, 'STORE_LOCKED'],
  [6, 'STORE_LOCKED'],
  [8, 'STORE_READ_ONLY'],
  [10, 'STORE_FAILED'],
  [778, 'STORE_FAILED'],
  [11, 'STORE_CORRUPT'],
  [26, 'STORE_CORRUPT'],
  [13, 'STORE_FULL'],
  [14, 'STORE_NO_ACCESS'],
  [3, 'STORE_NO_ACCESS'],
  [19, 'STORE_FAILED'],
])('names result code %i %s, with path and cause', (errcode, code) => {
  const cause = toDriverError(errcode);
  const error = toStoreError(cause, '/some/items.db');
  expect(error).toMatchObject({ code, cause });
  expect(String(error)).toMatch(/\/some\/items\.db: it says so; \w+/);
});

it.each([
  ['database is locked', 'STORE_LOCKED'],
  ['database table is locked: item', 'STORE_LOCKED'],
  ['attempt to write a readonly database', 'STORE_READ_ONLY'],
  ['database disk image is malformed', 'STORE_CORRUPT'],
  ['file is not a database', 'STORE_CORRUPT'],
  ['database or disk is full', 'STORE_FULL'],
  ['unable to open database file', 'STORE_NO_ACCESS'],
  ['access permission denied', 'STORE_NO_ACCESS'],
  ['disk I/O error', 'STORE_FAILED'],
])('names "%s" %s when the driver gives no result code', (message, code) => {
  const cause = Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR' });
  expect(toStoreError(cause, '/x')).toMatchObject({ code, cause });
});

it('names what the file system reports', () => {
  const codes = ['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'ENOENT', 'EMFILE'].map((code) =>
    toStoreError(Object.assign(new Error('no'), { code, syscall: 'open' }), '/x'),
  );
  expect(codes).toMatchObject(
    ['NO_ACCESS', 'NO_ACCESS', 'READ_ONLY', 'FULL', 'NOT_FOUND', 'FAILED'].map((name) => ({ code: `STORE_${name}` })),
  );
});

it('does not dress up a bug as a failure of the store', () => {
  const bug = new TypeError('undefined is not a function');
  expect(toStoreError(bug, '/x')).toBe(bug);
});

it('reads again when the log is being repaired at this moment', () => {
  const recovering = toDriverError(261);
  const db = new Database('/x', toFailingDriver([recovering, recovering], [{ answer: 42 }]));
  expect(db.get('SELECT 42 AS answer')).toEqual({ answer: 42 });
});

it('[BAD-306] looks twice before it calls a page damaged, which may only not have been read', () => {
  const passing = new Database('/x', toFailingDriver([toDriverError(11)], [{ answer: 42 }]));
  expect(passing.get('SELECT 42 AS answer')).toEqual({ answer: 42 });
  const damaged = new Database('/x', toFailingDriver([toDriverError(11), toDriverError(11)]));
  expect(() => damaged.get('SELECT 1')).toThrow(expect.objectContaining({ code: 'STORE_CORRUPT' }));
});

it('[BAD-307] gives advice on damage that loses nothing should it have been the disk', () => {
  const error = String(toStoreError(toDriverError(11), '/x'));
  expect(error).toContain('keep the file');
  expect(error).not.toContain('move it away');
});

it('does not try a read again that fails for another reason, nor a write that is locked', () => {
  const failures = [toDriverError(13), toDriverError(5)];
  const db = new Database('/x', toFailingDriver(failures));
  expect(() => db.get('SELECT 1')).toThrow(expect.objectContaining({ code: 'STORE_FULL' }));
  expect(() => db.run('BEGIN IMMEDIATE')).toThrow(expect.objectContaining({ code: 'STORE_LOCKED' }));
});

it('refuses a text that would come back as another one, and keeps every other', () => {
  const db = scratch.open();
  const whole = 'a\u0001 😀 \ufffd';
  db.insert(INSERT_ITEM, whole, '');
  expect(db.get('SELECT name FROM item')).toEqual({ name: whole });
  for (const text of ['a\0b', '\0', 'half \ud83d', '\ude00 half']) {
    const refusal = expect.objectContaining({ code: 'INVALID_ARGUMENT' });
    expect(() => db.insert(INSERT_ITEM, text, '')).toThrow(refusal);
    expect(() => db.run(INSERT_ITEM, text, '')).toThrow(refusal);
    for (const read of [db.get, db.all, db.arrays]) {
      expect(() => read.call(db, 'SELECT 1 FROM item WHERE name = ?', text)).toThrow(refusal);
    }
  }
});

it('reads one moment in a snapshot, whatever others commit meanwhile', () => {
  const [db, other] = [scratch.open(), scratch.open()];
  const count = () => db.get<{ n: number }>('SELECT count(*) AS n FROM item')?.n;
  const counts = db.snapshot(() => {
    const before = count();
    other.insert(INSERT_ITEM, 'a', '');
    return [before, count()];
  });
  expect([...counts, count()]).toEqual([0, 0, 1]);
});

it('can write again after a snapshot that failed', () => {
  const db = scratch.open();
  const fail = () => {
    throw new Error('no');
  };
  expect(() => db.snapshot(fail)).toThrow('no');
  db.run('BEGIN IMMEDIATE');
  db.rollBack();
});

it('gives rows as arrays in the order of the columns, also when the driver only has objects', () => {
  const real = scratch.open();
  real.insert(INSERT_ITEM, 'a', 'b');
  expect(real.arrays('SELECT body, name FROM item')).toEqual([['b', 'a']]);
  const old = new Database('/x', toFailingDriver([], [{ body: 'b', name: 'a' }]));
  expect(old.arrays('SELECT body, name FROM item')).toEqual([['b', 'a']]);
});
