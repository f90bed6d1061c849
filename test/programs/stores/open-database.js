// @ts-check
/**
 * Opens the same new databases at the same time as its siblings, and writes one row into each.
 *
 * node open-database.js DIR COUNT; begins when its standard input ends.
 */
import { join } from 'node:path';
import { openDatabase } from '../../../dist/sqlite/open.js';
import { Writer } from '../../../dist/sqlite/writer.js';

const [dir = '', count = '0'] = process.argv.slice(2);
const schema = { applicationId: 4711, migrations: ['CREATE TABLE item (name TEXT)', 'CREATE TABLE other (x)'] };

process.stdout.write('ready\n');
for await (const _ of process.stdin);

for (let i = 0; i < Number(count); i += 1) {
  const db = openDatabase({ path: join(dir, `${i}`, 'items.db'), schema });
  const writer = new Writer(db, { version: 2 });
  await writer.run('add', (it) => it.run('INSERT INTO item (name) VALUES (?)', `${process.pid}`));
  await writer.close();
  db.close();
}
