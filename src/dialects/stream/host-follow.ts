/**
 * Follows a call that was only acknowledged: notifications report its run, and end with it.
 *
 * The run cannot be polled anywhere. When the connection that carries its notifications is lost, its outcome is
 * unknown.
 */
import type { CallOutcome, CallUpdate, HostPort, Notification, ServerTask } from '../host-port.ts';
import { PollBackoff } from '../shared/poll-backoff.ts';
import type { StreamHandle } from './host-half.ts';
import { parseRunNews, type RunNews } from './run-notifications.ts';
import { toRunOutcome } from './run-outcome.ts';
import { StreamJoiner } from './stream-joiner.ts';

// Events from before the outcome may still arrive; after this long a silence they are assumed to be complete.
const LAST_EVENTS_MS = 2000;

/**
 * Follows a run of a server built on Holdfast, where it is a task: the outcome is the task's, complete and polled after
 * any loss; the stream is only shown meanwhile.
 */
export async function followStreamTask(
  handle: StreamHandle,
  port: HostPort,
  { task, joiner }: { readonly task: ServerTask; readonly joiner: StreamJoiner | undefined },
): Promise<CallOutcome> {
  const shown = showStream(handle, port, joiner);
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

/** Forwards the notifications of a run; `joiner` has received the earlier ones. */
function showStream(handle: StreamHandle, port: HostPort, joiner = new StreamJoiner(port)): ShownStream {
  const pace = new PollBackoff(port.clock);
  let isCut = false;
  const cut = () => {
    isCut = true;
    pace.ring();
  };
  joiner.onChange(() => pace.ring());
  const stops = [listen(handle, port, joiner), port.onConnected(cut), cut];
  return {
    async whenOver(silentMs) {
      const from = port.clock.monotonic();
      for (;;) {
        const leftMs = Math.max(from, joiner.heardAt ?? from) + silentMs - port.clock.monotonic();
        if (joiner.isOver || isCut || port.signal.aborted || leftMs <= 0) return;
        await pace.wait(port.signal, leftMs);
      }
    },
    stop() {
      for (const stop of stops) stop();
      joiner.close();
    },
  };
}

/** Waits for the end of the stream; rejects with the signal's reason when the caller stops waiting. */
export async function followStream(
  handle: StreamHandle,
  port: HostPort,
  joiner = new StreamJoiner(port),
): Promise<CallOutcome> {
  const stops: (() => void)[] = [];
  try {
    const isSettled = await new Promise<boolean>((resolve, reject) => {
      const onChange = () => {
        if (joiner.isSettled) resolve(true);
        port.keep?.({ ...joiner.ids });
      };
      const onAbort = () => reject(port.signal.reason);
      joiner.onChange(onChange);
      port.signal.addEventListener('abort', onAbort);
      stops.push(() => port.signal.removeEventListener('abort', onAbort));
      stops.push(listen(handle, port, joiner));
      stops.push(port.onConnected(() => resolve(false)));
      if (joiner.heardAt !== undefined) onChange();
      if (port.signal.aborted) onAbort();
    });
    // A run that has arrived completely no longer needs the connection.
    if (isSettled || joiner.isOver || joiner.hasFinalText) return toRunOutcome(joiner.toEndedRun());
    const reason = 'outcome unknown: the connection on which the run was told is gone';
    return { kind: 'interrupted', reason };
  } finally {
    joiner.close();
    for (const stop of stops) stop();
  }
}

function listen(handle: StreamHandle, port: HostPort, joiner: StreamJoiner): () => void {
  return port.onNotification((notification) => {
    const news = findNews(handle, notification);
    if (news) joiner.hear(news);
  });
}

function findNews({ rpcId, taskId }: StreamHandle, notification: Notification): RunNews | undefined {
  const news = parseRunNews(notification);
  // On another connection the same request id may be that of another call.
  const isMeant = taskId === undefined ? news?.rpcId === rpcId : news?.runId === taskId;
  return isMeant ? news : undefined;
}
