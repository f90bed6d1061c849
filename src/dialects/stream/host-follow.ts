/**
 * Follows a call that was only acknowledged: its run is told by notifications, and ends with them.
 *
 * Such a run can be asked for nowhere. When the connection goes on which it was told, nobody knows what became of it.
 */
import type { CallOutcome, CallUpdate, HostPort, Notification, ServerTask } from '../host-port.ts';
import { PollBackoff } from '../shared/poll-backoff.ts';
import type { StreamHandle } from './host-half.ts';
import { parseRunNews, type RunNews } from './run-notifications.ts';
import { toRunOutcome } from './run-outcome.ts';
import { StreamJoiner } from './stream-joiner.ts';

// What happened before the outcome was known may still be on its way; this long a silence says that it is not.
const LAST_EVENTS_MS = 2000;

/**
 * Follows a run of a server built on Holdfast, where it is a task: the outcome is the task's, whole and asked for after any
 * loss, and the stream is what is shown meanwhile.
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
  // The stream tells the same, and sooner, for as long as there is one.
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

/** A run that is told while something else waits for its outcome. */
interface ShownStream {
  /** Resolves when the stream is over or cannot go on, or nothing has been told for `silentMs`. */
  whenOver(silentMs: number): Promise<void>;
  stop(): void;
}

/** Gives on what is told of a run; `joiner` has heard what came before. */
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

/** Waits for the end of the stream; rejects with the signal's reason when nobody waits any longer. */
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
    // What was told whole does not need the connection any more.
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
  // On another connection the same number may be that of another call.
  const isMeant = taskId === undefined ? news?.rpcId === rpcId : news?.runId === taskId;
  return isMeant ? news : undefined;
}
