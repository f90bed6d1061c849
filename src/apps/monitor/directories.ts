import type { SqliteReader, SqliteTransaction } from '../../app-kit/index.ts';
import { type RawPath, toNames } from './scan/raw-path.ts';

const ROOT = 1;
const FIND = 'SELECT id FROM directories WHERE parent = ? AND name = ?';

/** Finds the row id of a directory, walking down from the root by name. */
export function findDirectory(db: SqliteReader, path: RawPath): number | undefined {
  let id: number | undefined = ROOT;
  for (const name of toNames(path)) {
    id = findChild(db, id, name);
    if (id === undefined) return undefined;
  }
  return id;
}

/** Like `findDirectory`, but inserts missing rows. Call it inside a transaction. */
export function findOrMakeDirectory(db: SqliteTransaction, path: RawPath): number {
  let id = ROOT;
  for (const name of toNames(path)) {
    id = findChild(db, id, name) ?? db.insert('INSERT INTO directories (parent, name) VALUES (?, ?)', id, name);
  }
  return id;
}

/** A query for a directory and all directories below it; its only parameter is the directory's id. */
export function toSubtree(): string {
  return `WITH RECURSIVE subtree (id) AS (
    VALUES (?) UNION ALL SELECT directories.id FROM directories JOIN subtree ON directories.parent = subtree.id
  ) SELECT id FROM subtree`;
}

function findChild(db: SqliteReader, parent: number, name: RawPath): number | undefined {
  return db.get<{ id: number }>(FIND, parent, name)?.id;
}
