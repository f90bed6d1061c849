import type { Artifacts } from '../contracts/artifact-contract.ts';
import { toTextBytes } from '../stored-bytes.ts';
import type { PostgresState } from './postgres-state.ts';
import { findHeld } from './tasks/attempt.ts';

const FIND = 'SELECT text FROM @artifact WHERE task = $1 AND name = $2 AND piece = $3';
const SAVE = `INSERT INTO @artifact (task, name, piece, text) VALUES ($1, $2, $3, $4)
  ON CONFLICT (task, name, piece) DO UPDATE SET text = excluded.text`;
const READ = `SELECT text FROM @artifact WHERE task = (SELECT row FROM @task WHERE id = $1) AND name = $2 AND piece = $3`;

export function createArtifacts({ connection, transactor, reads }: PostgresState): Artifacts {
  return {
    put: (lease, { name, index, text }) =>
      transactor.run(
        'artifact',
        async (tx) => {
          const task = await findHeld(tx, lease);
          if (task === undefined) return false;
          const before = await tx.row<{ text: string }>(FIND, task.row, name, index);
          tx.enqueue(SAVE, task.row, name, index, text);
          task.bytes += toTextBytes(name, text) - (before ? toTextBytes(name, before.text) : 0);
          tx.change(task);
          return true;
        },
        { tasks: [lease.taskId] },
      ),
    read: (taskId, { name, index }) =>
      reads(async () => (await connection.read<{ text: string }>(READ, taskId, name, index))[0]?.text),
  };
}
