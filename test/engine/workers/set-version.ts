import { openDriver } from '../../../dist/sqlite/driver.js';

/** Makes a database one of another schema version; returns the one it had. */
export function setVersion(path: string, version: number): number {
  const db = openDriver(path, { readOnly: false });
  try {
    db.exec('PRAGMA busy_timeout = 10000');
    const { user_version: before } = db.prepare('PRAGMA user_version').get() as { user_version: number };
    db.exec(`PRAGMA user_version = ${version}`);
    return before;
  } finally {
    db.close();
  }
}
