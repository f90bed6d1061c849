/**
 * Follows a call that was only acknowledged: its run is told by notifications, and ends with them.
 *
 * Such a run can be asked for nowhere. When the connection goes on which it was told, nobody knows what became of it.
 */
import type { Json } from '../../task/json.ts';
import type { CallOutcome, HostPort, JsonObject, Notification } from '../host-port.ts';
import { PollBackoff } from '../shared/poll-backoff.ts';
import { parseRunNews, type RunNews } from './run-notifications.ts';
import { toRunOutcome } from './run-outcome.ts';
import { StreamJoiner } from './stream-joiner.ts';

export interface StreamHandle {
  readonly dialect: 'stream';
  /** The id of the request that started it, as a text. */
  readonly rpcId: string;
  readonly tool: string;
  /** What the call carried, for its cancel. */
  readonly meta: JsonObject;
  /** The task behind it, on servers that have tasks. */
  readonly taskId?: string;
  /** What its server calls it, as far as it has said. */
  readonly runId?: string;
  readonly requestId?: string;
  readonly windowId?: string;
  readonly [key: string]: Json;
}

/** What of a call decides whether its answer is only an acknowledgement. */
export interface StreamedCall extends Pick<StreamHandle, 'rpcId' | 'tool' | 'meta'> {
  /** Its run was told of, or the tool is known to stream: then any answer that is no error is an acknowledgement. */
  readonly isStreamed: boolean;
}

/** The handle in the answer to a call; nothing when it is another answer. */
export function readStream(result: JsonObject, call: StreamedCall): StreamHandle | undefined {
  const { isStreamed, ...known } = call;
  if (result.isError === true) return undefined;
  const { taskId, stream } = (result.structuredContent ?? {}) as { readonly [key: string]: Json };
  const { method } = (stream ?? {}) as { readonly [key: string]: Json };
  const isOurs = typeof taskId === 'string' && typeof method === 'string' && /\.window_run\.stream$/.test(method);
  if (isOurs) return { dialect: 'stream', ...known, taskId };
  return isStreamed ? { dialect: 'stream', ...known } : undefined;
}

/** A run that is told while something else waits for its outcome. */
export interface ShownStream {
  /** Resolves when the stream is over or cannot go on, or nothing has been told for `silentMs`. */
  whenOver(silentMs: number): Promise<void>;
  stop(): void;
}

/** Gives on what is told of a run; `joiner` has heard what came before. */
export function showStream(handle: StreamHandle, port: HostPort, joiner = new StreamJoiner(port)): ShownStream {
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
