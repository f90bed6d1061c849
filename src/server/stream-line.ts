/** The way to the client of a connection, for runs. */
import type { Clock } from '../clock.ts';
import type { FollowedRun, Hearing, StreamLine } from '../dialects/stream/follower.ts';
import { isSessionRun } from '../dialects/stream/run-label.ts';
import type { Engine } from '../engine/engine.ts';
import { isTerminal } from '../task/status.ts';
import type { Connection } from './connection.ts';
import { NEVER_MS, tellOnce, whenHeard } from './job-end.ts';

interface StreamLineParts {
  readonly engine: Engine;
  readonly clock: Clock;
}

// A server that is just answering a call, or telling its end, holds the mark for a moment.
const FRESH_MS = 10_000;
const RETRY_MS = 200;
const MOST_TRIES = 5;

export function toStreamLine(parts: StreamLineParts, connection: Connection): StreamLine {
  const { engine } = parts;
  const { sessionId, notify = async () => {}, whenReady = async () => {} } = connection;
  // What a session is told only once, though several servers may tell it.
  const isMarked = ({ task, isJoined }: FollowedRun) =>
    sessionId !== undefined && !isJoined && isSessionRun(task, sessionId);
  return {
    async notify(method, params) {
      await whenReady();
      await notify(method, params);
    },
    hear: (signal) => hear(connection, signal),
    owes: async (run) => !isMarked(run) || isOwed(parts, run),
    async tellEnd(run, end, { isLive: canHear }) {
      if (sessionId === undefined) {
        await end.send(await end.read());
        return true;
      }
      // The server that took the call may not have let go of the mark yet.
      if (isMarked(run) && !(await isOwed(parts, run))) return true;
      return tellOnce(engine, end, { isMarked: isMarked(run), isAnew: false, canHear });
    },
  };
}

async function hear(connection: Connection, signal: AbortSignal): Promise<Hearing> {
  await whenHeard(connection, signal);
  signal.throwIfAborted();
  const lost = new AbortController();
  const lose = () => lost.abort();
  signal.addEventListener('abort', lose, { once: true });
  const stopListening = connection.onStandingStream?.(lose);
  return {
    signal: lost.signal,
    isLive: () => !lost.signal.aborted && (connection.canSend?.() ?? true),
    close() {
      stopListening?.();
      signal.removeEventListener('abort', lose);
    },
  };
}

/** Whether nobody has told the end yet. The end of a run that goes on cannot have been told. */
async function isOwed({ engine, clock }: StreamLineParts, { task }: FollowedRun): Promise<boolean> {
  const { taskId, principal } = task;
  const { status, endedAt = 0 } = await engine.get(taskId, { principal });
  if (!isTerminal(status)) return true;
  const tries = clock.now() - endedAt < FRESH_MS ? MOST_TRIES : 1;
  for (let tried = 1; ; tried++) {
    const mark = await engine.attend(taskId, { principal, graceMs: NEVER_MS });
    await mark?.handOver();
    if (mark || tried >= tries) return mark !== undefined;
    await new Promise<void>((resolve) => void clock.after(RETRY_MS, resolve));
  }
}
