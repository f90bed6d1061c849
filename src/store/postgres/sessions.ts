import type { SessionNote, SessionRef, SessionState, Sessions } from '../contracts/session-contract.ts';
import type { PostgresState } from './postgres-state.ts';
import type { Transaction } from './transaction.ts';

const NOTE = `INSERT INTO @session (id, principal, opened_at, used_at, is_ended, expires_at) VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (id) DO UPDATE SET used_at = excluded.used_at, is_ended = session.is_ended OR excluded.is_ended`;
const FIND = `SELECT used_at AS "usedAt", is_ended AS "isEnded",
  (SELECT opened_at FROM @session_mark WHERE principal = $2) AS mark
  FROM (SELECT 1) AS one LEFT JOIN @session AS session ON session.id = $1`;
const COUNT = 'SELECT count(*) AS many FROM @session WHERE principal = $1';
const MIDDLE = `SELECT opened_at AS "openedAt", expires_at AS "expiresAt" FROM @session
  WHERE principal = $1 ORDER BY opened_at LIMIT 1 OFFSET $2`;
const MARK = `INSERT INTO @session_mark (principal, opened_at, expires_at) VALUES ($1, $2, $3)
  ON CONFLICT (principal) DO UPDATE SET opened_at = excluded.opened_at, expires_at = excluded.expires_at`;
const DROP_OLDER = 'DELETE FROM @session WHERE principal = $1 AND opened_at <= $2';
// Ten at a time: more are deleted than added, and no single write pays for all.
const FORGET = `DELETE FROM @session WHERE row IN (SELECT row FROM @session WHERE expires_at <= $1 ORDER BY expires_at
  LIMIT 10 FOR UPDATE SKIP LOCKED)`;
const FORGET_MARKS = `DELETE FROM @session_mark WHERE principal IN (SELECT principal FROM @session_mark
  WHERE expires_at <= $1 ORDER BY expires_at LIMIT 10 FOR UPDATE SKIP LOCKED)`;

export function createSessions({ connection, transactor, reads }: PostgresState): Sessions {
  const note = (session: SessionRef, how: SessionNote & { readonly isEnded: boolean }) =>
    transactor.run(how.isEnded ? 'session-end' : 'session-touch', (tx) => noteSession(tx, session, how));
  return {
    touch: (session, how) => note(session, { ...how, isEnded: false }),
    end: (session, how) => note(session, { ...how, isEnded: true }),
    find: ({ sessionId, principal, openedAt }) =>
      reads(async () => {
        const [row] = await connection.read<FoundRow>(FIND, sessionId, principal);
        return toState(row, openedAt);
      }),
  };
}

interface FoundRow {
  readonly usedAt: number | null;
  readonly isEnded: boolean | null;
  readonly mark: number | null;
}

function toState(row: FoundRow | undefined, openedAt: number): SessionState {
  const { usedAt = null, isEnded = null, mark = null } = row ?? {};
  if (isEnded || (mark !== null && openedAt <= mark)) return { isEnded: true };
  return { isEnded: false, ...(usedAt !== null && { usedAt }) };
}

async function noteSession(
  tx: Transaction,
  { sessionId, principal, openedAt }: SessionRef,
  { expiresAt, max, isEnded }: SessionNote & { readonly isEnded: boolean },
): Promise<void> {
  tx.enqueue(FORGET, tx.now);
  tx.enqueue(FORGET_MARKS, tx.now);
  tx.enqueue(NOTE, sessionId, principal, openedAt, tx.now, isEnded, expiresAt);
  const many = (await tx.row<{ many: number }>(COUNT, principal))?.many ?? 0;
  if (many <= max) return;
  const newest = await tx.row<{ openedAt: number; expiresAt: number }>(MIDDLE, principal, Math.floor(many / 2));
  if (newest === undefined) return;
  tx.enqueue(MARK, principal, newest.openedAt, newest.expiresAt);
  tx.enqueue(DROP_OLDER, principal, newest.openedAt);
}
