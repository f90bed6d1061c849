import type { SessionNote, SessionRef, SessionState, Sessions } from '../contracts/session-contract.ts';
import type { MemoryState } from './memory-state.ts';

interface SessionRow {
  readonly openedAt: number;
  readonly expiresAt: number;
  usedAt: number;
  isEnded: boolean;
}

/** The recorded sessions of one principal. */
interface PrincipalRows {
  readonly rows: Map<string, SessionRow>;
  /** The mark: sessions opened up to this time are over. */
  endedUpTo: { readonly openedAt: number; readonly expiresAt: number } | undefined;
}

export type SessionTable = Map<string, PrincipalRows>;

export function createMemorySessions(state: MemoryState): Sessions {
  return {
    touch: async (session, note) => void noteSession(state.open(), session, { ...note, isEnded: false }),
    end: async (session, note) => void noteSession(state.open(), session, { ...note, isEnded: true }),
    find: async (session) => find(state.open(), session),
  };
}

function noteSession(
  { sessions, now }: MemoryState,
  { sessionId, principal, openedAt }: SessionRef,
  { expiresAt, max, isEnded }: SessionNote & { readonly isEnded: boolean },
): void {
  const known = sessions.get(principal) ?? { rows: new Map(), endedUpTo: undefined };
  sessions.set(principal, known);
  const row = known.rows.get(sessionId) ?? { openedAt, expiresAt, usedAt: now, isEnded };
  row.usedAt = now;
  row.isEnded ||= isEnded;
  known.rows.set(sessionId, row);
  forgetExpired(known, now);
  if (known.rows.size > max) endOlder(known);
}

function endOlder(known: PrincipalRows): void {
  const byAge = [...known.rows].sort(([, a], [, b]) => a.openedAt - b.openedAt);
  const [, newest] = byAge[Math.floor(byAge.length / 2)] ?? [];
  if (!newest) return;
  for (const [sessionId, row] of byAge) if (row.openedAt <= newest.openedAt) known.rows.delete(sessionId);
  known.endedUpTo = { openedAt: newest.openedAt, expiresAt: newest.expiresAt };
}

/** Sessions expire roughly in the order in which they were recorded, so checking the oldest is enough. */
function forgetExpired(known: PrincipalRows, now: number): void {
  for (const [sessionId, row] of known.rows) {
    if (row.expiresAt > now) break;
    known.rows.delete(sessionId);
  }
  if (known.endedUpTo && known.endedUpTo.expiresAt <= now) known.endedUpTo = undefined;
}

function find({ sessions }: MemoryState, { sessionId, principal, openedAt }: SessionRef): SessionState {
  const known = sessions.get(principal);
  if (known?.endedUpTo && openedAt <= known.endedUpTo.openedAt) return { isEnded: true };
  const row = known?.rows.get(sessionId);
  if (row?.isEnded) return { isEnded: true };
  return { isEnded: false, ...(row && { usedAt: row.usedAt }) };
}
