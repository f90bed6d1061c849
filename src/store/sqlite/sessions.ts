import type { Database } from '../../sqlite/database.ts';
import type { SessionNote, SessionRef, SessionState, Sessions } from '../contracts/session-contract.ts';
import type { Transaction } from './rows.ts';
import { type SqliteState, transact } from './transact.ts';

const NOTE = `INSERT INTO session (id, principal, opened_at, used_at, is_ended, expires_at) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET used_at = excluded.used_at, is_ended = max(is_ended, excluded.is_ended)`;
const FIND = 'SELECT used_at AS usedAt, is_ended AS isEnded FROM session WHERE id = ?';
const FIND_MARK = 'SELECT opened_at AS openedAt FROM session_mark WHERE principal = ?';
const COUNT = 'SELECT count(*) AS many FROM session WHERE principal = ?';
const MIDDLE = `SELECT opened_at AS openedAt, expires_at AS expiresAt FROM session
  WHERE principal = ? ORDER BY opened_at LIMIT 1 OFFSET ? + 0`;
const MARK = `INSERT INTO session_mark (principal, opened_at, expires_at) VALUES (?, ?, ?)
  ON CONFLICT (principal) DO UPDATE SET opened_at = excluded.opened_at, expires_at = excluded.expires_at`;
const DROP_OLDER = 'DELETE FROM session WHERE principal = ? AND opened_at <= ?';
// Ten at a time: more are deleted than added, and no single write pays for all.
const FORGET = `DELETE FROM session WHERE row IN (SELECT row FROM session WHERE expires_at <= ? ORDER BY expires_at LIMIT 10)`;
const FORGET_MARKS = `DELETE FROM session_mark WHERE row IN
  (SELECT row FROM session_mark WHERE expires_at <= ? ORDER BY expires_at LIMIT 10)`;

export function createSessions(state: SqliteState): Sessions {
  return {
    touch: (session, note) => transact(state, 'session-touch', (tx) => noteSession(tx, session, { ...note, ended: 0 })),
    end: (session, note) => transact(state, 'session-end', (tx) => noteSession(tx, session, { ...note, ended: 1 })),
    find: async (session) => find(state.db, session),
  };
}

function noteSession(
  { db, now }: Transaction,
  { sessionId, principal, openedAt }: SessionRef,
  { expiresAt, max, ended }: SessionNote & { readonly ended: 0 | 1 },
): void {
  db.run(FORGET, now);
  db.run(FORGET_MARKS, now);
  db.run(NOTE, sessionId, principal, openedAt, now, ended, expiresAt);
  const many = db.get<{ many: number }>(COUNT, principal)?.many ?? 0;
  if (many > max) endOlder(db, principal, Math.floor(many / 2));
}

function endOlder(db: Database, principal: string, offset: number): void {
  const newest = db.get<{ openedAt: number; expiresAt: number }>(MIDDLE, principal, offset);
  if (!newest) return;
  db.run(MARK, principal, newest.openedAt, newest.expiresAt);
  db.run(DROP_OLDER, principal, newest.openedAt);
}

function find(db: Database, { sessionId, principal, openedAt }: SessionRef): SessionState {
  const mark = db.get<{ openedAt: number }>(FIND_MARK, principal);
  if (mark && openedAt <= mark.openedAt) return { isEnded: true };
  const row = db.get<{ usedAt: number; isEnded: number }>(FIND, sessionId);
  if (row?.isEnded) return { isEnded: true };
  return { isEnded: false, ...(row && { usedAt: row.usedAt }) };
}
