import type { SqliteReader, SqliteTransaction } from '../../app-kit/index.ts';
import { type RawPath, toNames } from './scan/raw-path.ts';

const ROOT = 1;
const FIND = 'SELECT id FROM directories WHERE parent = ? AND name = ?';

/** The row of a directory, found name by name from the root. */
export function findDirectory(db: SqliteReader, path: RawPath): number | undefined {
  let id: number | undefined = ROOT;
  for (const name of toNames(path)) {
    id = findChild(db, id, name);
    if (id === undefined) return undefined;
  }
  return id;
}

/** The same, with rows made where there are none. To be called inside a transaction. */
export function findOrMakeDirectory(db: SqliteTransaction, path: RawPath): number {
  let id = ROOT;
  for (const name of toNames(path)) {
    id = findChild(db, id, name) ?? db.insert('INSERT INTO directories (parent, name) VALUES (?, ?)', id, name);
  }
  return id;
}

/** A query for a directory and all below it; its one value is the directory. */
export function toSubtree(): string {
  return `WITH RECURSIVE subtree (id) AS (
    VALUES (?) UNION ALL SELECT directories.id FROM directories JOIN subtree ON directories.parent = subtree.id
  ) SELECT id FROM subtree`;
}

function findChild(db: SqliteReader, parent: number, name: RawPath): number | undefined {
  return db.get<{ id: number }>(FIND, parent, name)?.id;
}
