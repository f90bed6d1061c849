/**
 * The tables of a task store.
 *
 * - `task.row` is the key inside the file; the text id has an index. Rows are never moved, so row order is the order of
 *   creation.
 * - Long arguments have a table of their own: SQLite rewrites a whole row for every change to it.
 * - A tombstone is a task row with `tombstone_at` set and without its payload.
 * - `event.row` rises with every commit, so a reader that remembers one number has seen everything before it. The newest
 *   event is never deleted: its number would be assigned again. (AUTOINCREMENT would prevent that for a tenth of the write
 *   speed.)
 * - A `hold` row exists only while a plain call is held, so it has a table of its own.
 * - Every index is either needed by each task or partial, so that finished tasks cost nothing.
 */
import type { Schema } from '../../sqlite/migrate.ts';

const FIRST = `
CREATE TABLE task (
  row INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  alias TEXT,
  tool TEXT NOT NULL,
  principal TEXT NOT NULL,
  identity TEXT NOT NULL,
  status TEXT NOT NULL,
  status_message TEXT,
  progress TEXT,
  estimate_ms INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  started_at INTEGER,
  ended_at INTEGER,
  expires_at INTEGER,
  ttl_ms INTEGER,
  poll_interval_ms INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  fence INTEGER NOT NULL,
  spend INTEGER NOT NULL,
  idempotent INTEGER NOT NULL,
  max_attempts INTEGER NOT NULL,
  run_at INTEGER NOT NULL,
  worker TEXT,
  idempotency_key TEXT,
  fingerprint TEXT,
  deliver TEXT,
  trace TEXT,
  labels TEXT,
  last_seq INTEGER NOT NULL,
  high_rate INTEGER NOT NULL,
  questions INTEGER NOT NULL,
  open_questions INTEGER NOT NULL,
  steps INTEGER NOT NULL,
  tombstone_at INTEGER,
  args TEXT,
  outcome TEXT
);
CREATE UNIQUE INDEX task_id ON task (id);
CREATE UNIQUE INDEX task_key ON task (idempotency_key, principal, identity, tool) WHERE idempotency_key IS NOT NULL;
CREATE UNIQUE INDEX task_alias ON task (alias, principal, identity) WHERE alias IS NOT NULL;
CREATE INDEX task_principal ON task (principal);
CREATE INDEX task_queued ON task (identity, tool, run_at) WHERE status = 'queued';
CREATE INDEX task_leased ON task (worker) WHERE worker IS NOT NULL;
CREATE INDEX task_asking ON task (identity) WHERE status = 'input_required';
CREATE INDEX task_ended ON task (expires_at, ended_at) WHERE ended_at IS NOT NULL AND tombstone_at IS NULL;
CREATE INDEX task_tombstone ON task (tombstone_at) WHERE tombstone_at IS NOT NULL;
CREATE INDEX task_overlong ON task (high_rate) WHERE high_rate > 10000;

CREATE TABLE long_args (
  task INTEGER PRIMARY KEY,
  args TEXT NOT NULL
);

CREATE TABLE event (
  row INTEGER PRIMARY KEY,
  task INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  type TEXT NOT NULL,
  body TEXT
);
CREATE UNIQUE INDEX event_seq ON event (task, seq);

CREATE TABLE question (
  row INTEGER PRIMARY KEY,
  task INTEGER NOT NULL,
  key TEXT NOT NULL,
  request TEXT NOT NULL,
  asked_at INTEGER NOT NULL,
  answer TEXT,
  answered_at INTEGER
);
CREATE UNIQUE INDEX question_key ON question (task, key);

CREATE TABLE step (
  task INTEGER NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (task, name)
) WITHOUT ROWID;

CREATE TABLE duration (
  identity TEXT NOT NULL,
  tool TEXT NOT NULL,
  runs TEXT NOT NULL,
  PRIMARY KEY (identity, tool)
) WITHOUT ROWID;

CREATE TABLE worker (
  row INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  identity TEXT NOT NULL,
  kind TEXT NOT NULL,
  state TEXT NOT NULL,
  build_id TEXT NOT NULL,
  build_at INTEGER NOT NULL,
  host TEXT,
  pid INTEGER,
  start_time TEXT,
  until INTEGER NOT NULL
);
CREATE INDEX worker_identity ON worker (identity);

CREATE TABLE process_group (
  worker TEXT NOT NULL,
  pid INTEGER NOT NULL,
  host TEXT NOT NULL,
  start_time TEXT NOT NULL,
  task_id TEXT NOT NULL,
  PRIMARY KEY (worker, pid)
) WITHOUT ROWID;

CREATE TABLE outbox (
  row INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  task INTEGER NOT NULL,
  topic TEXT NOT NULL,
  data TEXT,
  due_at INTEGER NOT NULL,
  tries INTEGER NOT NULL
);
CREATE INDEX outbox_due ON outbox (topic, due_at);
CREATE INDEX outbox_task ON outbox (task);
`;

const HOLDS = `
CREATE TABLE hold (
  task INTEGER PRIMARY KEY,
  key TEXT NOT NULL,
  holder TEXT,
  grace_ms INTEGER NOT NULL,
  is_handed_over INTEGER NOT NULL,
  cancel_at INTEGER
);
CREATE INDEX hold_key ON hold (key, task);
CREATE INDEX hold_due ON hold (task) WHERE holder IS NOT NULL OR cancel_at IS NOT NULL;
`;

/**
 * Fair shares. Triggers maintain them, so that no verb can forget to.
 *
 * - `task.bytes` is how much a task counts; older tasks count as a bare row. `usage` is the sum for each principal.
 * - A `turn` exists while a principal may have something queued for a tool. A claim that finds nothing removes it.
 * - `served` rises with every claim, and is equal in `usage` and in all turns of a principal: the lowest number is next.
 */
const SHARES = `
ALTER TABLE task ADD COLUMN bytes INTEGER NOT NULL DEFAULT 1024;
DROP INDEX task_queued;
CREATE INDEX task_queued ON task (identity, principal, tool, run_at) WHERE status = 'queued';
DROP INDEX task_asking;
CREATE INDEX task_asking ON task (identity, principal) WHERE status = 'input_required';

CREATE TABLE usage (
  principal TEXT NOT NULL,
  identity TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  served INTEGER NOT NULL,
  PRIMARY KEY (principal, identity)
) WITHOUT ROWID;
CREATE INDEX usage_served ON usage (identity, served);
INSERT INTO usage SELECT principal, identity, sum(bytes), 0 FROM task GROUP BY principal, identity;

CREATE TABLE turn (
  identity TEXT NOT NULL,
  principal TEXT NOT NULL,
  tool TEXT NOT NULL,
  served INTEGER NOT NULL,
  PRIMARY KEY (identity, principal, tool)
) WITHOUT ROWID;
CREATE INDEX turn_next ON turn (identity, tool, served, principal);
INSERT INTO turn SELECT DISTINCT identity, principal, tool, 0 FROM task WHERE status = 'queued';

CREATE TRIGGER task_added AFTER INSERT ON task BEGIN
  INSERT INTO usage VALUES (NEW.principal, NEW.identity, NEW.bytes, 0)
    ON CONFLICT (principal, identity) DO UPDATE SET bytes = bytes + excluded.bytes;
  INSERT INTO turn SELECT NEW.identity, NEW.principal, NEW.tool, served FROM usage
    WHERE NEW.status = 'queued' AND principal = NEW.principal AND identity = NEW.identity ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER task_resized AFTER UPDATE OF bytes ON task WHEN NEW.bytes <> OLD.bytes BEGIN
  UPDATE usage SET bytes = bytes + NEW.bytes - OLD.bytes
    WHERE principal = NEW.principal AND identity = NEW.identity;
END;
CREATE TRIGGER task_removed AFTER DELETE ON task BEGIN
  UPDATE usage SET bytes = bytes - OLD.bytes WHERE principal = OLD.principal AND identity = OLD.identity;
  DELETE FROM usage WHERE principal = OLD.principal AND identity = OLD.identity AND bytes = 0;
  DELETE FROM turn WHERE identity = OLD.identity AND principal = OLD.principal
    AND NOT EXISTS (SELECT 1 FROM usage WHERE principal = OLD.principal AND identity = OLD.identity);
END;
CREATE TRIGGER task_queued_again AFTER UPDATE OF status ON task WHEN NEW.status = 'queued' BEGIN
  INSERT INTO turn SELECT NEW.identity, NEW.principal, NEW.tool, served FROM usage
    WHERE principal = NEW.principal AND identity = NEW.identity ON CONFLICT DO NOTHING;
END;

CREATE TABLE learned (
  identity TEXT NOT NULL,
  tool TEXT NOT NULL,
  principal TEXT NOT NULL,
  runs TEXT NOT NULL,
  PRIMARY KEY (identity, tool, principal)
) WITHOUT ROWID;
INSERT INTO learned SELECT identity, tool, 'local', runs FROM duration;
DROP TABLE duration;
`;

const SESSIONS = `
CREATE TABLE session (
  row INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  principal TEXT NOT NULL,
  opened_at INTEGER NOT NULL,
  used_at INTEGER NOT NULL,
  is_ended INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
);
CREATE INDEX session_principal ON session (principal, opened_at);
CREATE INDEX session_expiry ON session (expires_at);
CREATE TABLE session_mark (
  row INTEGER PRIMARY KEY,
  principal TEXT NOT NULL UNIQUE,
  opened_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
);
CREATE INDEX session_mark_expiry ON session_mark (expires_at);
`;

/** Observations of silent workers. A row is valid only for the `until` it contains. */
const SILENCES = `
ALTER TABLE worker ADD COLUMN lease_ms INTEGER;
CREATE TABLE silence (
  worker TEXT PRIMARY KEY,
  until INTEGER NOT NULL,
  sign TEXT,
  silent_ms INTEGER NOT NULL,
  looks INTEGER NOT NULL,
  since INTEGER NOT NULL,
  seen_by TEXT NOT NULL,
  stalled_ms INTEGER
) WITHOUT ROWID;
`;

/** How many workers were lost while a task was at work in them. */
const LOSSES = `
ALTER TABLE task ADD COLUMN losses INTEGER NOT NULL DEFAULT 0;
`;

/** Until when, and by which key, an answered call can be taken up, because its response may have been lost. */
const ANSWERED_HOLDS = `
ALTER TABLE hold ADD COLUMN answered_key TEXT;
ALTER TABLE hold ADD COLUMN join_until INTEGER;
CREATE INDEX hold_answered_key ON hold (answered_key) WHERE answered_key IS NOT NULL;
`;

/** One row: the time on which all processes agree; see `store-clock.ts`. Missing before the first write. */
const TIME = `
CREATE TABLE store_time (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  at INTEGER NOT NULL,
  lag_ms INTEGER NOT NULL,
  moved_at INTEGER NOT NULL,
  steady_ms REAL NOT NULL,
  boot TEXT NOT NULL,
  ahead_ms INTEGER,
  ahead_since INTEGER
);
`;

/** Only tasks that have not begun yet have a `start_by`. */
const DEADLINES = `
ALTER TABLE task ADD COLUMN start_by INTEGER;
CREATE INDEX task_start_by ON task (start_by) WHERE start_by IS NOT NULL;
`;

/**
 * The programs that have served the store, and the processes that serve it now.
 *
 * - A `program` outlives its processes as long as it has tasks, so that the owner of the tasks stays known.
 * - Adopting a task moves its bytes and its turn too.
 */
const PROGRAMS = `
CREATE TABLE program (
  row INTEGER PRIMARY KEY,
  identity TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  base TEXT NOT NULL,
  tools TEXT NOT NULL,
  seen_at INTEGER NOT NULL
);
CREATE INDEX program_name ON program (name, seen_at);
CREATE TABLE serving (
  row INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  identity TEXT NOT NULL,
  tools TEXT NOT NULL,
  host TEXT NOT NULL,
  pid INTEGER NOT NULL,
  start_time TEXT NOT NULL,
  seen_at INTEGER NOT NULL
);
CREATE INDEX serving_identity ON serving (identity);

CREATE TRIGGER task_adopted AFTER UPDATE OF identity ON task WHEN NEW.identity <> OLD.identity BEGIN
  INSERT INTO usage VALUES (NEW.principal, NEW.identity, NEW.bytes, 0)
    ON CONFLICT (principal, identity) DO UPDATE SET bytes = bytes + excluded.bytes;
  INSERT INTO turn SELECT NEW.identity, NEW.principal, NEW.tool, served FROM usage
    WHERE NEW.status = 'queued' AND principal = NEW.principal AND identity = NEW.identity ON CONFLICT DO NOTHING;
  UPDATE usage SET bytes = bytes - NEW.bytes WHERE principal = OLD.principal AND identity = OLD.identity;
  DELETE FROM usage WHERE principal = OLD.principal AND identity = OLD.identity AND bytes = 0;
  DELETE FROM turn WHERE identity = OLD.identity AND principal = OLD.principal AND tool = OLD.tool AND NOT EXISTS
    (SELECT 1 FROM task WHERE status = 'queued' AND identity = OLD.identity AND principal = OLD.principal
      AND tool = OLD.tool);
END;
`;

/**
 * Queues: tasks of an identity that run one after the other.
 *
 * - `queue` is set until a task has left its queue. `behind` is 0 for the first task of a queue and for tasks without a
 *   queue; claims read only these. `task-queue.ts` advances the queue.
 * - `leaving` is the worker that is still running a task that was ended from outside.
 */
const QUEUES = `
ALTER TABLE task ADD COLUMN queue TEXT;
ALTER TABLE task ADD COLUMN behind INTEGER NOT NULL DEFAULT 0;
ALTER TABLE task ADD COLUMN leaving TEXT;
CREATE INDEX task_queue ON task (identity, queue, behind) WHERE queue IS NOT NULL;
CREATE INDEX task_leaving ON task (leaving) WHERE leaving IS NOT NULL;
DROP INDEX task_queued;
CREATE INDEX task_queued ON task (identity, principal, tool, behind, run_at) WHERE status = 'queued';
CREATE TRIGGER task_next AFTER UPDATE OF behind ON task WHEN NEW.behind = 0 AND NEW.status = 'queued' BEGIN
  INSERT INTO turn SELECT NEW.identity, NEW.principal, NEW.tool, served FROM usage
    WHERE principal = NEW.principal AND identity = NEW.identity ON CONFLICT DO NOTHING;
END;
`;

/** Pieces of artifacts; each piece is a row of its own, so that reading one reads no other. */
const ARTIFACTS = `
CREATE TABLE artifact (
  row INTEGER PRIMARY KEY,
  task INTEGER NOT NULL,
  name TEXT NOT NULL,
  piece INTEGER NOT NULL,
  text TEXT NOT NULL
);
CREATE UNIQUE INDEX artifact_piece ON artifact (task, name, piece);
`;

/**
 * Process groups outlive the worker that started them until their host has killed them: `orphaned_at` is when the worker was
 * recovered. Both indexes are nearly always empty.
 */
const ORPHANS = `
ALTER TABLE process_group ADD COLUMN orphaned_at INTEGER;
CREATE INDEX process_group_orphaned ON process_group (host) WHERE orphaned_at IS NOT NULL;
CREATE INDEX process_group_orphaned_at ON process_group (orphaned_at) WHERE orphaned_at IS NOT NULL;
`;

/** "hftk" as a number. */
const APPLICATION_ID = 0x6866746b;

export const STORE_SCHEMA: Schema = {
  applicationId: APPLICATION_ID,
  migrations: [
    ...[FIRST, HOLDS, SHARES, SESSIONS, SILENCES, LOSSES, ANSWERED_HOLDS, TIME, DEADLINES, PROGRAMS, QUEUES],
    ...[ARTIFACTS, ORPHANS],
  ],
};
