/**
 * Tells the end of a job or a run once.
 *
 * A session's stream comes and goes, and may be open at any of several servers. That its result has not been told yet
 * is therefore kept with the task, and who tells it takes that mark first.
 */
import type { Clock } from '../../../clock.ts';
import type { Engine } from '../../../engine/engine.ts';
import type { HeldTask, HoldOptions } from '../../../engine/holds/held-task.ts';
import { makeToken } from '../../../task/id.ts';
import type { Task } from '../../../task/record.ts';
import type { Caller, ClientConnection } from '../../server-port.ts';
import type { FollowedOutcome } from './followed-tasks.ts';

/** A job is cancelled only by those who ask for that, never because its client went away. */
const NEVER_MS = 100 * 365 * 86_400_000;

/** How the task of a job is written, so that any server can tell its end to the session. */
export function toEndMark({ sessionId }: Caller): { readonly hold?: HoldOptions } {
  return sessionId === undefined ? {} : { hold: { key: makeToken(), graceMs: NEVER_MS } };
}

/** Tasks whose hold is such a mark. */
const MARKED = ['job', 'stream'];

/** Whether what is kept with a task says if its end has been told on the session's stream, which a line is not. */
export function hasEndMark({ labels }: Task): boolean {
  return MARKED.includes(labels?.dialect ?? '');
}

export interface MarkParts {
  readonly engine: Engine;
  readonly clock: Clock;
}

// A server that is just answering the call, or telling its end, holds the mark for a moment.
const FRESH_MS = 10_000;
const RETRY_MS = 200;
const MAX_TRIES = 5;

/** Takes the mark of a task that has ended; nothing when its end has been told. */
export async function takeMark({ engine, clock }: MarkParts, task: Task): Promise<HeldTask | undefined> {
  const { taskId, principal } = task;
  const { endedAt = 0 } = await engine.get(taskId, { principal });
  const tries = engine.now() - endedAt < FRESH_MS ? MAX_TRIES : 1;
  for (let tried = 1; ; tried++) {
    const mark = await engine.attend(taskId, { principal, graceMs: NEVER_MS });
    if (mark || tried >= tries) return mark;
    await new Promise<void>((resolve) => void clock.after(RETRY_MS, resolve));
  }
}

/** Whom the end is told. */
interface Listener {
  /** Several servers may tell it: only who takes the mark does. */
  readonly isMarked: boolean;
  /** It is told even when it has been told before. */
  readonly isAnew: boolean;
  canHear(): boolean;
}

/** Tells a session how a task ended, unless it was told; false when its stream has gone meanwhile. */
export async function tellOnce<Told>(
  parts: MarkParts,
  end: FollowedOutcome<Told>,
  listener: Listener,
): Promise<boolean> {
  const { isMarked, isAnew, canHear } = listener;
  const mark = isMarked ? await takeMark(parts, end.task) : undefined;
  if (isMarked && !mark && !isAnew) return true;
  let isTold = false;
  try {
    const told = await end.read();
    if (canHear()) {
      await end.send(told);
      isTold = canHear();
    }
  } finally {
    await (isTold ? mark?.close() : mark?.handOver());
  }
  return isTold;
}

/** Resolves when something sent now would be heard; what there is to tell waits for that. */
export async function whenHeard({ canSend, onStandingStream }: ClientConnection, signal: AbortSignal): Promise<void> {
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
