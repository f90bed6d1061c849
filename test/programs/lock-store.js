// @ts-check
/** Holds the write lock of a SQLite file until its stdin ends: `lock-store.js <path>`. */
import { openDriver } from '../../dist/sqlite/driver.js';

const [path = ''] = process.argv.slice(2);
const driver = openDriver(path, { readOnly: false });
driver.exec('BEGIN EXCLUSIVE');
process.stdout.write('locked\n');
for await (const _ of process.stdin);
driver.exec('ROLLBACK');
driver.close();
