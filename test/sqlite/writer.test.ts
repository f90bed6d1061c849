import { statSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { onCrashPoint } from '../../src/crash-point.ts';
import type { Database } from '../../src/sqlite/database.ts';
import { openDatabase } from '../../src/sqlite/open.ts';
import { Writer, type WriterOptions } from '../../src/sqlite/writer.ts';
import { until } from '../../src/testing/until.ts';
import { INSERT_ITEM, NEWER_ITEMS, namesIn, Scratch } from './scratch.ts';

const scratch = new Scratch();
afterEach(() => onCrashPoint(undefined));

function open(options: Partial<WriterOptions> = {}) {
  const db = scratch.open();
  const writer = new Writer(db, { version: 1, ...options });
  const add = (name: string, body = '') => writer.run(name, (it) => it.insert(INSERT_ITEM, name, body));
  return { db, writer, add };
}

it('[STORE-11] commits what waits together, not one by one', async () => {
  let commits = 0;
  const { db, add } = open({ afterCommit: () => (commits += 1) });
  const before = statSync(`${db.path}-wal`).size;

  await Promise.all(Array.from({ length: 100 }, (_, i) => add(`item ${i}`)));

  // One where nothing else is going on; a turn ends early when the machine is so busy that it takes long.
  expect(commits).toBeLessThan(20);
  // A commit writes at least one page of 4096 bytes; a hundred items fit into a few.
  expect(statSync(`${db.path}-wal`).size - before).toBeLessThan((commits + 3) * 2 * 4200);
  expect(namesIn(db)).toHaveLength(100);
});

it('runs operations in the order in which they were queued and answers each with its own value', async () => {
  const { db, writer, add } = open();
  const values = await Promise.all([add('a'), writer.run('count', namesIn), add('b'), writer.run('count', namesIn)]);
  expect(values).toEqual([1, ['a'], 2, ['a', 'b']]);
  expect(namesIn(db)).toEqual(['a', 'b']);
});

it('[STORE-12] lets an operation that throws fail alone, without a trace', async () => {
  const { db, writer, add } = open();
  const broken = (it: Database) => {
    it.insert(INSERT_ITEM, 'half done', '');
    throw new RangeError('no');
  };
  const settled = await Promise.allSettled([add('a'), writer.run('broken', broken), add('b')]);
  expect(settled).toMatchObject([{ value: 1 }, { reason: new RangeError('no') }, { value: 2 }]);
  expect(namesIn(db)).toEqual(['a', 'b']);
});

it('answers an operation that does not fit with STORE_FULL and keeps the others', async () => {
  const { db, add } = open();
  db.exec('PRAGMA max_page_count = 60');
  const settled = await Promise.allSettled([add('a'), add('huge', 'x'.repeat(1_000_000)), add('b')]);
  expect(settled[1]).toMatchObject({ status: 'rejected', reason: { code: 'STORE_FULL' } });
  expect(namesIn(db)).toEqual(['a', 'b']);
  await expect(add('c')).resolves.toBe(3);
});

it('[STORE-10] answers only when another connection can see the change', async () => {
  const { add } = open();
  const other = scratch.open();
  await add('a');
  expect(namesIn(other)).toEqual(['a']);
});

it('[STORE-15] waits for the lock of another process without blocking the event loop', async () => {
  const { db, add } = open();
  const other = scratch.open();
  other.exec('BEGIN IMMEDIATE');
  let isAdded = false;
  const added = add('late').then(() => (isAdded = true));
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);

  await until(() => turns >= 20, { what: 'the event loop to go round' });
  expect(isAdded).toBe(false);
  clearInterval(timer);
  other.exec('COMMIT');

  await added;
  expect(namesIn(db)).toEqual(['late']);
});

it('gives up with STORE_LOCKED when the lock stays, and works again when it is gone', async () => {
  const { db, add } = open({ lockWaitMs: 30 });
  const other = scratch.open();
  other.exec('BEGIN IMMEDIATE');
  const settled = await Promise.allSettled([add('a'), add('b')]);
  expect(settled).toMatchObject([{ reason: { code: 'STORE_LOCKED' } }, { reason: { code: 'STORE_LOCKED' } }]);
  other.exec('COMMIT');
  await add('c');
  expect(namesIn(db)).toEqual(['c']);
});

it('finishes what is queued when it is closed, and takes nothing new', async () => {
  const { db, writer, add } = open();
  const queued = add('a');
  const closed = writer.close();
  await expect(add('b')).rejects.toMatchObject({ code: 'STORE_CLOSED' });
  await closed;
  expect(namesIn(db)).toEqual(['a']);
  await queued;
  await writer.close();
});

it('refuses to write into a schema that a newer program has made meanwhile', async () => {
  const { db, add } = open();
  await add('a');
  openDatabase({ path: db.path, schema: NEWER_ITEMS }).close();
  const settled = await Promise.allSettled([add('b'), add('c')]);
  const refusal = { reason: { code: 'STORE_SCHEMA_NEWER', data: { found: 2, known: 1 } } };
  expect(settled).toMatchObject([refusal, refusal]);
  expect(namesIn(db)).toEqual(['a']);
});

it('passes the crash points of each operation right before and right after the commit', async () => {
  const { add } = open({ afterCommit: () => passed.push('announced') });
  const other = scratch.open();
  const passed: string[] = [];
  onCrashPoint((name) => passed.push(`${name} (${namesIn(other).length} durable)`));
  await Promise.all([add('a'), add('b').then(() => passed.push('answered'))]);
  expect(passed).toEqual([
    'a:before (0 durable)',
    'b:before (0 durable)',
    'a:after (2 durable)',
    'b:after (2 durable)',
    'announced',
    'answered',
  ]);
});

it('gives the event loop a turn between large batches', async () => {
  let commits = 0;
  const { db, add } = open({ afterCommit: () => (commits += 1) });
  await Promise.all(Array.from({ length: 600 }, (_, i) => add(`item ${i}`)));
  expect(commits).toBeGreaterThanOrEqual(3);
  expect(namesIn(db)).toHaveLength(600);
});

it('answers with the failure when nothing can be written at all', async () => {
  open();
  const writer = new Writer(scratch.open({ readOnly: true }), { version: 1 });
  const write = () => writer.run('add', (it) => it.insert(INSERT_ITEM, 'a', ''));
  const settled = await Promise.allSettled([write(), write()]);
  expect(settled).toMatchObject([{ reason: { code: 'STORE_READ_ONLY' } }, { reason: { code: 'STORE_READ_ONLY' } }]);
});

it('[ROOMS-225] commits what nobody waits for together with what comes next, or soon by itself', async () => {
  let commits = 0;
  const { db, writer, add } = open({ afterCommit: () => (commits += 1) });
  const patient = (name: string) => writer.run(name, (it) => it.insert(INSERT_ITEM, name, ''), { isDeferrable: true });
  const first = patient('a');
  expect(namesIn(db)).toEqual([]);
  await Promise.all([add('b'), first]);
  expect({ names: namesIn(db), commits }).toEqual({ names: ['a', 'b'], commits: 1 });
  await patient('c');
  expect(namesIn(db)).toEqual(['a', 'b', 'c']);
  const last = patient('d');
  await writer.close();
  await last;
  expect(namesIn(db)).toEqual(['a', 'b', 'c', 'd']);
});
