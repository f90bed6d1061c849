/** The child processes of hosts, in a table of the ledger. */
import type { ProcessRef } from '../../process/process-ref.ts';
import type { Database } from '../../sqlite/database.ts';
import type { Writer } from '../../sqlite/writer.ts';
import type { ChildNote, ChildNotes } from './contract.ts';

/** The servers that hosts run as child processes. */
export const CHILDREN = `
CREATE TABLE child (
  mark TEXT PRIMARY KEY,
  server TEXT NOT NULL,
  owner TEXT NOT NULL,
  session INTEGER,
  process TEXT
) WITHOUT ROWID;
`;

const ADD = `
INSERT INTO child (mark, server, owner, session) VALUES (?, ?, ?, ?)
ON CONFLICT (mark) DO UPDATE SET owner = excluded.owner, session = excluded.session
`;
const SET_PROCESS = 'UPDATE child SET process = ? WHERE mark = ?';
// More than any host leaves behind; children beyond this limit are listed the next time.
const LISTED = 10_000;
const LIST = `SELECT * FROM child ORDER BY mark LIMIT ${LISTED}`;

interface ChildRow {
  readonly mark: string;
  readonly server: string;
  readonly owner: string;
  readonly session: number | null;
  readonly process: string | null;
}

export function openChildNotes(db: Database, writer: Writer): ChildNotes {
  return {
    add: ({ mark, server, owner, session }) =>
      writer.run('child-add', (tx) => void tx.run(ADD, mark, server, owner, session ?? null)),
    setProcess: (mark, process) =>
      writer.run('child-process', (tx) => void tx.run(SET_PROCESS, JSON.stringify(process), mark)),
    remove: (mark) => writer.run('child-remove', (tx) => void tx.run('DELETE FROM child WHERE mark = ?', mark)),
    list: async () => db.all<ChildRow>(LIST).map(toNote),
  };
}

function toNote({ mark, server, owner, session, process }: ChildRow): ChildNote {
  return {
    mark,
    server,
    owner,
    ...(session !== null && { session }),
    ...(process !== null && { process: JSON.parse(process) as ProcessRef }),
  };
}
