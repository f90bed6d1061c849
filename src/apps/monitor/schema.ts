import type { Schema } from '../../app-kit/index.ts';

/**
 * The schema of the monitor database.
 *
 * A directory has a row when something below it is known. Names are text, or blobs where they are not UTF-8. `mtime_ms` is the
 * file's modification time when it was hashed; together with the size it tells whether the file must be hashed again.
 */
const BYTES = 'ALTER TABLE syncs ADD COLUMN bytes_hashed INTEGER NOT NULL DEFAULT 0';

export const MONITOR_SCHEMA: Schema = {
  applicationId: 0x68666d6e,
  migrations: [
    `
    CREATE TABLE directories (
      id INTEGER PRIMARY KEY,
      parent INTEGER NOT NULL,
      name NOT NULL,
      UNIQUE (parent, name)
    );
    INSERT INTO directories (id, parent, name) VALUES (1, 0, '');
    CREATE TABLE files (
      directory INTEGER NOT NULL,
      name NOT NULL,
      bytes INTEGER NOT NULL,
      mtime_ms REAL NOT NULL,
      checksum TEXT NOT NULL,
      priority REAL NOT NULL,
      synced_at INTEGER NOT NULL,
      PRIMARY KEY (directory, name)
    ) WITHOUT ROWID;
    CREATE INDEX files_by_priority ON files (priority);
    CREATE TABLE syncs (
      id INTEGER PRIMARY KEY,
      path NOT NULL,
      recursive INTEGER NOT NULL,
      outcome TEXT NOT NULL,
      files_processed INTEGER NOT NULL,
      files_updated INTEGER NOT NULL,
      files_hashed INTEGER NOT NULL,
      duration_ms REAL NOT NULL,
      ended_at INTEGER NOT NULL
    );
    CREATE INDEX syncs_by_path ON syncs (path, recursive, outcome, id);
    `,
    BYTES,
  ],
};
