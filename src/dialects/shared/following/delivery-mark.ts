/**
 * Sends the end of a job or a run once.
 *
 * A session's stream may close and open again, at any of several servers. That the result has not been sent yet is
 * therefore kept with the task as a mark, and a server claims that mark before it sends.
 */
import type { Clock } from '../../../clock.ts';
import type { Engine } from '../../../engine/engine.ts';
import type { HeldTask, HoldOptions } from '../../../engine/holds/held-task.ts';
import { makeToken } from '../../../task/id.ts';
import type { Task } from '../../../task/record.ts';
import type { Caller, ClientConnection } from '../../server-port.ts';
import type { UnsentOutcome } from './task-notifiers.ts';

/** A job is cancelled only on request, never because its client disconnected. */
const NEVER_MS = 100 * 365 * 86_400_000;

/** How the task of a job is written, so that any server can send its end to the session. */
export function toDeliveryMark({ sessionId }: Caller): { readonly hold?: HoldOptions } {
  return sessionId === undefined ? {} : { hold: { key: makeToken(), graceMs: NEVER_MS } };
}

/** Dialects of the tasks whose hold is a delivery mark. */
const MARKED = ['job', 'stream'];

/** Whether the task's hold records if its end was sent on the session's stream, and not that a call waits for it. */
export function hasDeliveryMark({ labels }: Task): boolean {
  return MARKED.includes(labels?.dialect ?? '');
}

export interface DeliveryParts {
  readonly engine: Engine;
  readonly clock: Clock;
}

// A server that is just answering the call, or sending its end, holds the mark for a moment.
const FRESH_MS = 10_000;
const RETRY_MS = 200;
const MAX_TRIES = 5;

/** Claims the mark of a task that has ended; undefined when its end has been sent. */
export async function claimDeliveryMark({ engine, clock }: DeliveryParts, task: Task): Promise<HeldTask | undefined> {
  const { taskId, principal } = task;
  const { endedAt = 0 } = await engine.get(taskId, { principal });
  const tries = engine.now() - endedAt < FRESH_MS ? MAX_TRIES : 1;
  for (let tried = 1; ; tried++) {
    const mark = await engine.attend(taskId, { principal, graceMs: NEVER_MS });
    if (mark || tried >= tries) return mark;
    await new Promise<void>((resolve) => void clock.after(RETRY_MS, resolve));
  }
}

/** The client that is notified of the end. */
interface Recipient {
  /** Whether several servers may send it: then only the server that claims the mark does. */
  readonly isMarked: boolean;
  /** Whether it is sent even when it has been sent before. */
  readonly canRepeat: boolean;
  canDeliver(): boolean;
}

/** Sends a session the outcome of a task, unless that was done; false when its stream has closed meanwhile. */
export async function sendOutcomeOnce<Content>(
  parts: DeliveryParts,
  end: UnsentOutcome<Content>,
  recipient: Recipient,
): Promise<boolean> {
  const { isMarked, canRepeat, canDeliver } = recipient;
  const mark = isMarked ? await claimDeliveryMark(parts, end.task) : undefined;
  if (isMarked && !mark && !canRepeat) return true;
  let isSent = false;
  try {
    const content = await end.read();
    if (canDeliver()) {
      await end.send(content);
      isSent = canDeliver();
    }
  } finally {
    await (isSent ? mark?.close() : mark?.handOver());
  }
  return isSent;
}

/** Resolves when a notification sent now would be delivered; rejects when the signal aborts first. */
export async function whenDeliverable(
  { canSend, onStandingStream }: ClientConnection,
  signal: AbortSignal,
): Promise<void> {
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
