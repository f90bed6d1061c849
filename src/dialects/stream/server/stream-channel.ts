/** Creates the channel for runs to the client of a connection. */

import { isTerminal } from '../../../task/status.ts';
import type { ClientConnection } from '../../server-port.ts';
import {
  claimDeliveryMark,
  type DeliveryParts,
  sendOutcomeOnce,
  whenDeliverable,
} from '../../shared/following/delivery-mark.ts';
import type { FollowedRun, LiveStream, StreamChannel } from './follower.ts';
import { isSessionRun } from './run-label.ts';

export function toStreamChannel(parts: DeliveryParts, connection: ClientConnection): StreamChannel {
  const { sessionId, notify, whenReady = async () => {} } = connection;
  // A run whose end a session is sent only once, though several servers may send it.
  const isMarked = ({ task, isJoined }: FollowedRun) =>
    sessionId !== undefined && !isJoined && isSessionRun(task, sessionId);
  return {
    async notify(method, params) {
      await whenReady();
      await notify(method, params);
    },
    waitForStream: (signal) => waitForStream(connection, signal),
    shouldSendEnd: async (run) => !isMarked(run) || isEndUnsent(parts, run),
    async sendEnd(run, end, { isLive: canDeliver }) {
      if (sessionId === undefined) {
        await end.send(await end.read());
        return true;
      }
      return sendOutcomeOnce(parts, end, { isMarked: isMarked(run), canRepeat: false, canDeliver });
    },
  };
}

async function waitForStream(connection: ClientConnection, signal: AbortSignal): Promise<LiveStream> {
  await whenDeliverable(connection, signal);
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

/** Whether the end has not been sent yet. The end of a run that is still going on cannot have been sent. */
async function isEndUnsent(parts: DeliveryParts, { task }: FollowedRun): Promise<boolean> {
  const { taskId, principal } = task;
  const { status } = await parts.engine.get(taskId, { principal });
  if (!isTerminal(status)) return true;
  const mark = await claimDeliveryMark(parts, task);
  await mark?.handOver();
  return mark !== undefined;
}
