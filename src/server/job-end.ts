/**
 * Tells the end of a job once.
 *
 * A session's stream comes and goes, and may be open at any of several servers. That its result has not been told yet
 * is therefore kept with the task, and who tells it takes that mark first.
 */
import type { JobEnd, JobLine } from '../dialects/job/follower.ts';
import { isSessionJob } from '../dialects/job/session-jobs.ts';
import type { Engine } from '../engine/engine.ts';
import type { HoldOptions } from '../engine/held-task.ts';
import { makeToken } from '../task/id.ts';
import { isTerminal } from '../task/status.ts';
import type { Caller } from './caller.ts';
import type { Connection } from './connection.ts';

// A job is cancelled only by those who ask for that, never because its client went away.
const NEVER_MS = 100 * 365 * 86_400_000;

/** How the task of a job is written, so that any server can tell its end to the session. */
export function toJobMark({ sessionId }: Caller): { readonly hold?: HoldOptions } {
  return sessionId === undefined ? {} : { hold: { key: makeToken(), graceMs: NEVER_MS } };
}

/** The way to the client of a connection. */
export function toJobLine(engine: Engine, connection: Connection): JobLine {
  const { sessionId, notify = async () => {} } = connection;
  const canHear = () => connection.canSend?.() ?? true;
  return {
    notify,
    canHear,
    async tellEnd(end, signal) {
      if (sessionId === undefined) return end.send(await end.read());
      do await whenHeard(connection, signal);
      while (!(await tellSession(engine, end, { sessionId, canHear })));
    },
  };
}

interface Session {
  readonly sessionId: string;
  canHear(): boolean;
}

/** False when its stream has gone meanwhile. */
async function tellSession(engine: Engine, end: JobEnd, { sessionId, canHear }: Session): Promise<boolean> {
  const { task, isKnown } = end;
  const { taskId, principal } = task;
  const isOwn = isSessionJob(task, sessionId);
  const mark = isOwn ? await engine.attend(taskId, { principal, graceMs: NEVER_MS }) : undefined;
  // A call that joined a job which had ended is told its end whether or not another call was.
  const isAnew = !isKnown && isTerminal(task.status);
  if (isOwn && !mark && !isAnew) return true;
  let isTold = false;
  try {
    const params = await end.read();
    isTold = canHear();
    if (isTold) await end.send(params);
  } finally {
    await (isTold ? mark?.close() : mark?.handOver());
  }
  return isTold;
}

/** Resolves when something sent now would be heard; what there is to tell waits for that. */
async function whenHeard({ canSend, onStandingStream }: Connection, signal: AbortSignal): Promise<void> {
  while (!(canSend?.() ?? true)) {
    signal.throwIfAborted();
    await new Promise<void>((resolve) => {
      const stop = onStandingStream?.(done);
      signal.addEventListener('abort', done, { once: true });
      function done() {
        stop?.();
        signal.removeEventListener('abort', done);
        resolve();
      }
    });
  }
}
