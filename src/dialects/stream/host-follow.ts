/**
 * Follows a call that was only acknowledged: notifications report its run, and end with it.
 *
 * The run cannot be polled anywhere. When the connection that carries its notifications is lost, its outcome is
 * unknown.
 */
import type { CallOutcome, CallUpdate, HostPort, Notification, ServerTask } from '../host-port.ts';
import { PollBackoff } from '../shared/poll-backoff.ts';
import type { StreamHandle } from './host-half.ts';
import { RunAssembler } from './run-assembler.ts';
import { parseRunNotification, type RunNotification } from './run-notifications.ts';
import { toRunOutcome } from './run-outcome.ts';

// Events from before the outcome may still arrive; after this long a silence they are assumed to be complete.
const LAST_EVENTS_MS = 2000;

/**
 * Follows a run of a server built on Holdfast, where it is a task: the outcome is the task's, complete and polled after
 * any loss; the stream is only shown meanwhile.
 */
export async function followStreamTask(
  handle: StreamHandle,
  port: HostPort,
  { task, assembler }: { readonly task: ServerTask; readonly assembler: RunAssembler | undefined },
): Promise<CallOutcome> {
  const shown = showStream(handle, port, assembler);
  let isCut = false;
  const stop = port.onConnected(() => {
    isCut = true;
  });
  // The stream reports the same, and sooner, while there is one.
  const update = (told: CallUpdate) => {
    if (isCut || told.type === 'question' || told.type === 'answered') port.update(told);
  };
  try {
    const outcome = await task.follow(update);
    await shown.whenOver(LAST_EVENTS_MS);
    return outcome;
  } finally {
    stop();
    shown.stop();
  }
}

/** A run whose stream is shown while its outcome is awaited by other means. */
interface ShownStream {
  /** Resolves when the stream is over or cannot continue, or nothing has arrived for `silentMs`. */
  whenOver(silentMs: number): Promise<void>;
  stop(): void;
}

/** Forwards the notifications of a run; `assembler` has received the earlier ones. */
function showStream(handle: StreamHandle, port: HostPort, assembler = new RunAssembler(port)): ShownStream {
  const pace = new PollBackoff(port.clock);
  let isCut = false;
  const cut = () => {
    isCut = true;
    pace.wakeUp();
  };
  assembler.onChange(() => pace.wakeUp());
  const stops = [listen(handle, port, assembler), port.onConnected(cut), cut];
  return {
    async whenOver(silentMs) {
      const from = port.clock.monotonic();
      for (;;) {
        const leftMs = Math.max(from, assembler.receivedAt ?? from) + silentMs - port.clock.monotonic();
        if (assembler.isOver || isCut || port.signal.aborted || leftMs <= 0) return;
        await pace.wait(port.signal, leftMs);
      }
    },
    stop() {
      for (const stop of stops) stop();
      assembler.close();
    },
  };
}

/** Waits for the end of the stream; rejects with the signal's reason when the caller stops waiting. */
export async function followStream(
  handle: StreamHandle,
  port: HostPort,
  assembler = new RunAssembler(port),
): Promise<CallOutcome> {
  const stops: (() => void)[] = [];
  try {
    const isSettled = await new Promise<boolean>((resolve, reject) => {
      const onChange = () => {
        if (assembler.isSettled) resolve(true);
        port.keep?.({ ...assembler.ids });
      };
      const onAbort = () => reject(port.signal.reason);
      assembler.onChange(onChange);
      port.signal.addEventListener('abort', onAbort);
      stops.push(() => port.signal.removeEventListener('abort', onAbort));
      stops.push(listen(handle, port, assembler));
      stops.push(port.onConnected(() => resolve(false)));
      if (assembler.receivedAt !== undefined) onChange();
      if (port.signal.aborted) onAbort();
    });
    // A run that has arrived completely no longer needs the connection.
    if (isSettled || assembler.isOver || assembler.hasFinalText) return toRunOutcome(assembler.toEndedRun());
    const reason = 'outcome unknown: the connection on which the run was told is gone';
    return { kind: 'interrupted', reason };
  } finally {
    assembler.close();
    for (const stop of stops) stop();
  }
}

function listen(handle: StreamHandle, port: HostPort, assembler: RunAssembler): () => void {
  return port.onNotification((notification) => {
    const parsed = findRunNotification(handle, notification);
    if (parsed) assembler.receive(parsed);
  });
}

function findRunNotification({ rpcId, taskId }: StreamHandle, notification: Notification): RunNotification | undefined {
  const parsed = parseRunNotification(notification);
  // On another connection the same request id may be that of another call.
  const isMeant = taskId === undefined ? parsed?.rpcId === rpcId : parsed?.runId === taskId;
  return isMeant ? parsed : undefined;
}
