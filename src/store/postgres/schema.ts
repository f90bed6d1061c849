/**
 * The tables of a task store in PostgreSQL.
 *
 * - `@name` is replaced by the name in the schema of the store; see `connection.ts`.
 * - JSON is stored as text: `jsonb` rejects an escaped NUL. Names sort by their bytes.
 * - `task.row` rises with every new task, but not in the order of commits: it is no cursor for changes.
 * - `event.xid` is the transaction that wrote an event. Readers of changes use snapshots, which know what was committed,
 *   whatever the order; see `change-feed.ts`.
 * - `usage` contains increments and is folded now and then: with one row per principal, its writers would wait for each
 *   other. The same applies to `learned`.
 * - A `turn` exists while a principal may have something queued for a tool.
 * - Every index is either needed by each task or partial, so that finished tasks cost claims nothing.
 */
const FIRST = `
CREATE TABLE @store (
  id integer PRIMARY KEY CHECK (id = 1),
  program text NOT NULL,
  version integer NOT NULL,
  at bigint,
  lag_ms bigint,
  moved_at bigint,
  steady_ms double precision,
  boot text,
  ahead_ms bigint,
  ahead_since bigint
);
INSERT INTO @store (id, program, version) VALUES (1, 'holdfast', 0);

CREATE SEQUENCE @task_row;
CREATE SEQUENCE @event_row;
CREATE SEQUENCE @serve_number;

CREATE TABLE @task (
  row bigint PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  alias text COLLATE "C",
  tool text COLLATE "C" NOT NULL,
  principal text COLLATE "C" NOT NULL,
  identity text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL,
  status_message text,
  progress text,
  estimate_ms double precision,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  started_at bigint,
  ended_at bigint,
  expires_at bigint,
  ttl_ms bigint,
  poll_interval_ms double precision,
  attempt integer NOT NULL,
  fence integer NOT NULL,
  spend boolean NOT NULL,
  idempotent boolean NOT NULL,
  max_attempts integer NOT NULL,
  run_at bigint NOT NULL,
  start_by bigint,
  worker text COLLATE "C",
  idempotency_key text COLLATE "C",
  fingerprint text COLLATE "C",
  deliver text,
  trace text,
  labels text,
  last_seq integer NOT NULL,
  high_rate integer NOT NULL,
  questions integer NOT NULL,
  open_questions integer NOT NULL,
  steps integer NOT NULL,
  losses integer NOT NULL,
  queue text COLLATE "C",
  behind boolean NOT NULL,
  leaving text COLLATE "C",
  bytes bigint NOT NULL,
  tombstone_at bigint,
  args text,
  outcome text
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
CREATE UNIQUE INDEX task_key ON @task (idempotency_key, principal, identity, tool) WHERE idempotency_key IS NOT NULL;
CREATE UNIQUE INDEX task_alias ON @task (alias, principal, identity) WHERE alias IS NOT NULL;
CREATE INDEX task_principal ON @task (principal, row);
CREATE INDEX task_queued ON @task (identity, tool, principal, behind, run_at, row) WHERE status = 'queued';
CREATE INDEX task_leased ON @task (worker, row) WHERE worker IS NOT NULL;
CREATE INDEX task_asking ON @task (identity, principal) WHERE status = 'input_required';
CREATE INDEX task_ended ON @task (expires_at, ended_at) WHERE ended_at IS NOT NULL AND tombstone_at IS NULL;
CREATE INDEX task_tombstone ON @task (tombstone_at) WHERE tombstone_at IS NOT NULL;
CREATE INDEX task_overlong ON @task (high_rate) WHERE high_rate > 10000;
CREATE INDEX task_start_by ON @task (start_by) WHERE start_by IS NOT NULL;
CREATE INDEX task_queue ON @task (identity, queue, behind, row) WHERE queue IS NOT NULL;
CREATE INDEX task_leaving ON @task (leaving) WHERE leaving IS NOT NULL;

CREATE TABLE @event (
  task bigint NOT NULL,
  seq integer NOT NULL,
  row bigint NOT NULL DEFAULT nextval('@event_row'),
  at bigint NOT NULL,
  type text COLLATE "C" NOT NULL,
  body text,
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  PRIMARY KEY (task, seq)
);
CREATE INDEX event_xid ON @event (xid);

CREATE TABLE @question (
  row bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  task bigint NOT NULL,
  key text COLLATE "C" NOT NULL,
  request text NOT NULL,
  asked_at bigint NOT NULL,
  answer text,
  answered_at bigint,
  UNIQUE (task, key)
);
CREATE TABLE @step (
  task bigint NOT NULL,
  name text COLLATE "C" NOT NULL,
  value text NOT NULL,
  PRIMARY KEY (task, name)
);
CREATE TABLE @artifact (
  task bigint NOT NULL,
  name text COLLATE "C" NOT NULL,
  piece bigint NOT NULL,
  text text NOT NULL,
  PRIMARY KEY (task, name, piece)
);
CREATE TABLE @learned (
  row bigint GENERATED ALWAYS AS IDENTITY,
  identity text COLLATE "C" NOT NULL,
  tool text COLLATE "C" NOT NULL,
  principal text COLLATE "C" NOT NULL,
  ran_ms double precision NOT NULL,
  PRIMARY KEY (identity, tool, principal, row)
);
CREATE TABLE @usage (
  row bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  principal text COLLATE "C" NOT NULL,
  identity text COLLATE "C" NOT NULL,
  bytes bigint NOT NULL
);
CREATE INDEX usage_principal ON @usage (principal, identity) INCLUDE (bytes);
CREATE INDEX usage_identity ON @usage (identity);
CREATE TABLE @served (
  identity text COLLATE "C" NOT NULL,
  principal text COLLATE "C" NOT NULL,
  served bigint NOT NULL,
  PRIMARY KEY (identity, principal)
);
CREATE INDEX served_last ON @served (identity, served);
CREATE TABLE @turn (
  identity text COLLATE "C" NOT NULL,
  tool text COLLATE "C" NOT NULL,
  principal text COLLATE "C" NOT NULL,
  served bigint NOT NULL,
  PRIMARY KEY (identity, tool, principal)
);
CREATE INDEX turn_next ON @turn (identity, tool, served, principal);

CREATE TABLE @worker (
  row bigint GENERATED ALWAYS AS IDENTITY,
  id text COLLATE "C" PRIMARY KEY,
  identity text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  state text NOT NULL,
  build_id text NOT NULL,
  build_at double precision NOT NULL,
  host text,
  pid bigint,
  start_time text,
  until bigint NOT NULL,
  lease_ms bigint NOT NULL
) WITH (fillfactor = 50);
CREATE INDEX worker_identity ON @worker (identity);
CREATE TABLE @process_group (
  worker text COLLATE "C" NOT NULL,
  pid bigint NOT NULL,
  host text NOT NULL,
  start_time text NOT NULL,
  task_id text NOT NULL,
  PRIMARY KEY (worker, pid)
);
CREATE TABLE @silence (
  worker text COLLATE "C" PRIMARY KEY,
  until bigint NOT NULL,
  sign text,
  silent_ms bigint NOT NULL,
  looks bigint NOT NULL,
  since bigint NOT NULL,
  seen_by text NOT NULL,
  stalled_ms bigint
);
CREATE TABLE @outbox (
  row bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  id text COLLATE "C" NOT NULL UNIQUE,
  task bigint NOT NULL,
  topic text COLLATE "C" NOT NULL,
  data text,
  due_at bigint NOT NULL,
  tries integer NOT NULL
);
CREATE INDEX outbox_due ON @outbox (topic, due_at, row);
CREATE INDEX outbox_task ON @outbox (task);
CREATE TABLE @hold (
  task bigint PRIMARY KEY,
  key text COLLATE "C" NOT NULL,
  answered_key text COLLATE "C",
  holder text,
  grace_ms bigint NOT NULL,
  is_handed_over boolean NOT NULL,
  cancel_at bigint,
  join_until bigint
);
CREATE INDEX hold_key ON @hold (key, task);
CREATE INDEX hold_answered_key ON @hold (answered_key) WHERE answered_key IS NOT NULL;
CREATE INDEX hold_due ON @hold (task) WHERE holder IS NOT NULL OR cancel_at IS NOT NULL;
CREATE TABLE @session (
  row bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  id text COLLATE "C" NOT NULL UNIQUE,
  principal text COLLATE "C" NOT NULL,
  opened_at bigint NOT NULL,
  used_at bigint NOT NULL,
  is_ended boolean NOT NULL,
  expires_at bigint NOT NULL
);
CREATE INDEX session_principal ON @session (principal, opened_at);
CREATE INDEX session_expiry ON @session (expires_at);
CREATE TABLE @session_mark (
  principal text COLLATE "C" PRIMARY KEY,
  opened_at bigint NOT NULL,
  expires_at bigint NOT NULL
);
CREATE INDEX session_mark_expiry ON @session_mark (expires_at);
CREATE TABLE @program (
  identity text COLLATE "C" PRIMARY KEY,
  name text COLLATE "C" NOT NULL,
  base text NOT NULL,
  tools text NOT NULL,
  seen_at bigint NOT NULL
);
CREATE INDEX program_name ON @program (name, seen_at);
CREATE TABLE @serving (
  row bigint GENERATED ALWAYS AS IDENTITY,
  id text COLLATE "C" PRIMARY KEY,
  identity text COLLATE "C" NOT NULL,
  tools text NOT NULL,
  host text NOT NULL,
  pid bigint NOT NULL,
  start_time text NOT NULL,
  seen_at bigint NOT NULL
);
CREATE INDEX serving_identity ON @serving (identity);

-- Opens turns and keeps them open until the commit: whoever closes one must wait, or leave it.
CREATE FUNCTION @open_turns(identities text[], tools text[], principals text[]) RETURNS void LANGUAGE plpgsql AS $body$
BEGIN
  FOR n IN 1 .. coalesce(array_length(identities, 1), 0) LOOP
    LOOP
      PERFORM 1 FROM @turn WHERE identity = identities[n] AND tool = tools[n] AND principal = principals[n]
        FOR KEY SHARE;
      EXIT WHEN FOUND;
      INSERT INTO @turn (identity, tool, principal, served) VALUES (identities[n], tools[n], principals[n],
        coalesce((SELECT served FROM @served WHERE identity = identities[n] AND principal = principals[n]), 0))
        ON CONFLICT DO NOTHING;
      EXIT WHEN FOUND;
    END LOOP;
  END LOOP;
END $body$;
`;

/** Keys that the processes of all machines share; and the name of the store's owner, if one was given. */
const SECRETS = `
ALTER TABLE @store ADD COLUMN name text COLLATE "C";
CREATE TABLE @secret (
  name text COLLATE "C" PRIMARY KEY,
  content text NOT NULL
);
`;

/**
 * Process groups outlive the worker that started them until their host has killed them: `orphaned_at` is when the worker was
 * recovered. Both indexes are nearly always empty.
 */
const ORPHANS = `
ALTER TABLE @process_group ADD COLUMN orphaned_at bigint;
CREATE INDEX process_group_orphaned ON @process_group (host) WHERE orphaned_at IS NOT NULL;
CREATE INDEX process_group_orphaned_at ON @process_group (orphaned_at) WHERE orphaned_at IS NOT NULL;
`;

/** Migration scripts; the n-th leads to version n. Released ones are never edited. */
export const MIGRATIONS: readonly string[] = [FIRST, SECRETS, ORPHANS];

/** Marks a schema as one of ours. */
export const PROGRAM = 'holdfast';
