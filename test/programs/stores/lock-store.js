// @ts-check
/** Holds the write lock of a SQLite file until its stdin ends: `lock-store.js <path>`. */
import { openDriver } from '../../../dist/sqlite/driver.js';

const [path = ''] = process.argv.slice(2);
const driver = openDriver(path, { readOnly: false });
// Others may be writing at this very moment.
driver.exec('PRAGMA busy_timeout = 60000; BEGIN EXCLUSIVE');
process.stdout.write('locked\n');
for await (const _ of process.stdin);
driver.exec('ROLLBACK');
driver.close();
