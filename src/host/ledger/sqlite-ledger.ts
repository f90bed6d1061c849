import { dirname } from 'node:path';
import { type Clock, systemClock } from '../../clock.ts';
import type { CallHandle, CallOutcome, JsonObject } from '../../dialects/host-port.ts';
import type { Database } from '../../sqlite/database.ts';
import type { SqliteValue } from '../../sqlite/driver.ts';
import type { Schema } from '../../sqlite/migrate.ts';
import { openDatabase } from '../../sqlite/open.ts';
import { Writer } from '../../sqlite/writer.ts';
import type { CallFilter, CallRecord, Ledger, NewCall } from './contract.ts';
import { CHILDREN, openChildNotes } from './sqlite-children.ts';

const FIRST = `
CREATE TABLE call (
  row INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  server TEXT NOT NULL,
  tool TEXT NOT NULL,
  args TEXT NOT NULL,
  session TEXT,
  meta TEXT,
  owner TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  deadline_at INTEGER,
  handle TEXT,
  outcome TEXT,
  ended_at INTEGER,
  acked_at INTEGER
);
CREATE INDEX call_open ON call (row) WHERE acked_at IS NULL;
CREATE INDEX call_server ON call (server, row);
CREATE INDEX call_session ON call (session, row) WHERE session IS NOT NULL;
CREATE INDEX call_acked ON call (acked_at) WHERE acked_at IS NOT NULL;

CREATE TABLE answer (
  call TEXT NOT NULL,
  key TEXT NOT NULL,
  answer TEXT NOT NULL,
  PRIMARY KEY (call, key)
) WITHOUT ROWID;
`;

/** Adds where the spec of a call's server came from. */
const ORIGIN = 'ALTER TABLE call ADD COLUMN origin TEXT;';

/** Adds the caller's idempotency key, and whether the call may be sent again. */
const KEY = `
ALTER TABLE call ADD COLUMN key TEXT;
ALTER TABLE call ADD COLUMN repeat TEXT;
CREATE UNIQUE INDEX call_key ON call (key) WHERE key IS NOT NULL;
`;

/** "hfld" as a number. */
const APPLICATION_ID = 0x68666c64;
export const LEDGER_SCHEMA: Schema = { applicationId: APPLICATION_ID, migrations: [FIRST, ORIGIN, CHILDREN, KEY] };

const INSERT = `INSERT INTO call (id, server, tool, args, session, meta, owner, created_at, deadline_at, handle, origin, key, repeat)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const FIND_KEY = 'SELECT id FROM call WHERE key = ?';
const SET_HANDLE = 'UPDATE call SET handle = ? WHERE id = ? AND outcome IS NULL';
const ADOPT = 'UPDATE call SET owner = ? WHERE id = ? AND owner = ? AND outcome IS NULL';
const SETTLE = 'UPDATE call SET outcome = ?, ended_at = ? WHERE id = ? AND outcome IS NULL';
const ACK = 'UPDATE call SET acked_at = ? WHERE id = ? AND outcome IS NOT NULL AND acked_at IS NULL';
const KEEP_ANSWER = 'INSERT INTO answer (call, key, answer) VALUES (?, ?, ?) ON CONFLICT DO NOTHING';
const FIND_ANSWER = 'SELECT answer FROM answer WHERE call = ? AND key = ?';
const LIST_ANSWERS = 'SELECT key, answer FROM answer WHERE call = ? ORDER BY key';
// One transaction of the writer must not block the event loop for long.
const SWEPT_AT_ONCE = 500;
const OLD = `SELECT id FROM call WHERE acked_at <= ? LIMIT ${SWEPT_AT_ONCE}`;

/** Options of `openSqliteLedger`. */
export interface SqliteLedgerOptions {
  readonly path: string;
  /** Whether to create the file if it does not exist. @default true */
  readonly create?: boolean;
  readonly clock?: Clock;
}

/** Opens a ledger in a SQLite file. */
export function openSqliteLedger({ path, create = true, clock = systemClock }: SqliteLedgerOptions): Ledger {
  const db = openDatabase({ path, create, schema: LEDGER_SCHEMA });
  const writer = new Writer(db, { version: LEDGER_SCHEMA.migrations.length });
  return {
    directory: dirname(db.path),
    path: db.path,
    children: openChildNotes(db, writer),
    create: (call) => writer.run('call-create', (tx) => insert(tx, call)),
    setHandle: (callId, handle) =>
      writer.run('call-handle', (tx) => tx.run(SET_HANDLE, JSON.stringify(handle), callId) > 0),
    adopt: (callId, { from, to }) => writer.run('call-adopt', (tx) => tx.run(ADOPT, to, callId, from) > 0),
    settle: (callId, outcome) =>
      writer.run('call-settle', (tx) => tx.run(SETTLE, JSON.stringify(outcome), clock.now(), callId) > 0),
    ack: (callId) => writer.run('call-ack', (tx) => tx.run(ACK, clock.now(), callId) > 0),
    answer: (callId, key, answer) => writer.run('call-answer', (tx) => keepAnswer(tx, { callId, key, answer })),
    findAnswer: async (callId, key) => readAnswer(db, callId, key),
    answers: async (callId) => {
      const rows = db.all<{ key: string; answer: string }>(LIST_ANSWERS, callId);
      return rows.map(({ key, answer }) => ({ key, answer: JSON.parse(answer) as JsonObject }));
    },
    async get(callId) {
      const row = db.get<CallRow>('SELECT * FROM call WHERE id = ?', callId);
      return row && toRecord(row);
    },
    list: async (filter = {}) => list(db, filter),
    async sweep(ackedBefore) {
      let swept = 0;
      for (let count = SWEPT_AT_ONCE; count === SWEPT_AT_ONCE; swept += count) {
        count = await writer.run('call-sweep', (tx) => sweep(tx, ackedBefore));
      }
      return swept;
    },
    async close() {
      await writer.close();
      db.close();
    },
  };
}

function insert(db: Database, call: NewCall): string | undefined {
  const { callId, server, tool, args, sessionId, meta, owner, createdAt, deadlineAt, handle, origin } = call;
  const { key = null, repeat = null } = call;
  const taken = key === null ? undefined : db.get<{ id: string }>(FIND_KEY, key);
  if (taken) return taken.id;
  const texts = [JSON.stringify(args), sessionId ?? null, toText(meta)];
  const rest = [owner, createdAt, deadlineAt ?? null, toText(handle), toText(origin)];
  db.insert(INSERT, callId, server, tool, ...texts, ...rest, key, repeat);
  return undefined;
}

function toText(value: JsonObject | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

function keepAnswer(db: Database, given: { callId: string; key: string; answer: JsonObject }): JsonObject {
  const { callId, key, answer } = given;
  db.run(KEEP_ANSWER, callId, key, JSON.stringify(answer));
  return readAnswer(db, callId, key) ?? answer;
}

function readAnswer(db: Database, callId: string, key: string): JsonObject | undefined {
  const row = db.get<{ answer: string }>(FIND_ANSWER, callId, key);
  return row && (JSON.parse(row.answer) as JsonObject);
}

function list(db: Database, { server, sessionId, unacked = false, limit = 1000 }: CallFilter): CallRecord[] {
  const tests: string[] = [];
  const values: SqliteValue[] = [];
  if (unacked) tests.push('acked_at IS NULL');
  if (server !== undefined) {
    tests.push('server = ?');
    values.push(server);
  }
  if (sessionId !== undefined) {
    tests.push('session = ?');
    values.push(sessionId);
  }
  const where = tests.length === 0 ? '' : `WHERE ${tests.join(' AND ')}`;
  return db.all<CallRow>(`SELECT * FROM call ${where} ORDER BY row LIMIT ? + 0`, ...values, limit).map(toRecord);
}

function sweep(db: Database, ackedBefore: number): number {
  const old = db.all<{ id: string }>(OLD, ackedBefore);
  for (const { id } of old) {
    db.run('DELETE FROM answer WHERE call = ?', id);
    db.run('DELETE FROM call WHERE id = ?', id);
  }
  return old.length;
}

interface CallRow {
  readonly id: string;
  readonly server: string;
  readonly tool: string;
  readonly args: string;
  readonly session: string | null;
  readonly meta: string | null;
  readonly owner: string;
  readonly created_at: number;
  readonly deadline_at: number | null;
  readonly handle: string | null;
  readonly origin: string | null;
  readonly key: string | null;
  readonly repeat: 'never' | 'idempotent' | null;
  readonly outcome: string | null;
  readonly ended_at: number | null;
  readonly acked_at: number | null;
}

function toRecord(row: CallRow): CallRecord {
  return {
    callId: row.id,
    server: row.server,
    tool: row.tool,
    args: JSON.parse(row.args) as JsonObject,
    owner: row.owner,
    createdAt: row.created_at,
    ...(row.session !== null && { sessionId: row.session }),
    ...(row.key !== null && { key: row.key }),
    ...(row.repeat !== null && { repeat: row.repeat }),
    ...(row.meta !== null && { meta: JSON.parse(row.meta) as JsonObject }),
    ...(row.origin !== null && { origin: JSON.parse(row.origin) as JsonObject }),
    ...(row.deadline_at !== null && { deadlineAt: row.deadline_at }),
    ...(row.handle !== null && { handle: JSON.parse(row.handle) as CallHandle }),
    ...(row.outcome !== null && { outcome: JSON.parse(row.outcome) as CallOutcome }),
    ...(row.ended_at !== null && { endedAt: row.ended_at }),
    ...(row.acked_at !== null && { ackedAt: row.acked_at }),
  };
}
