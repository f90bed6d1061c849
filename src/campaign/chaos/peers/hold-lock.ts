/** A foreign process that holds the store's write lock for a given time, or until it is killed. */
import { setTimeout as pause } from 'node:timers/promises';
import { openDriver } from '../../../sqlite/driver.ts';

const [path = '', forMs = '0'] = process.argv.slice(2);
const driver = openDriver(path, { readOnly: false });
driver.exec('PRAGMA busy_timeout = 2000');
driver.exec('BEGIN IMMEDIATE');
process.stdout.write('locked\n');
await pause(Number(forMs));
driver.exec('ROLLBACK');
driver.close();
