import type { Database } from '../../sqlite/database.ts';
import type { ArtifactPiece, ArtifactPlace, Artifacts } from '../contracts/artifact-contract.ts';
import type { Lease } from '../contracts/task-contract.ts';
import { toTextBytes } from '../stored-bytes.ts';
import type { Transaction } from './rows.ts';
import { findHeld } from './tasks/read.ts';
import { type SqliteState, transact } from './transact.ts';

const FIND = 'SELECT text FROM artifact WHERE task = ? AND name = ? AND piece = ?';
const SAVE = `INSERT INTO artifact (task, name, piece, text) VALUES (?, ?, ?, ?)
  ON CONFLICT (task, name, piece) DO UPDATE SET text = excluded.text`;
const GROW = 'UPDATE task SET bytes = bytes + ? WHERE row = ?';
const READ = `SELECT text FROM artifact WHERE task = (SELECT row FROM task WHERE id = ?) AND name = ? AND piece = ?`;

export function createArtifacts(state: SqliteState): Artifacts {
  return {
    put: (lease, piece) => transact(state, 'artifact', (tx) => put(tx, lease, piece)),
    read: async (taskId, place) => read(state.db, taskId, place),
  };
}

function put({ db }: Transaction, lease: Lease, { name, index, text }: ArtifactPiece): boolean {
  const task = findHeld(db, lease);
  if (task === undefined) return false;
  const before = db.get<{ text: string }>(FIND, task.row, name, index);
  db.run(SAVE, task.row, name, index, text);
  db.run(GROW, toTextBytes(name, text) - (before ? toTextBytes(name, before.text) : 0), task.row);
  return true;
}

function read(db: Database, taskId: string, { name, index }: ArtifactPlace): string | undefined {
  return db.get<{ text: string }>(READ, taskId, name, index)?.text;
}
