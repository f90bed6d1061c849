import { isTerminal } from '../../task/status.ts';
import type { ClientConnection } from '../server-port.ts';
import { type DeliveryParts, sendOutcomeOnce, whenDeliverable } from '../shared/following/delivery-mark.ts';
import type { JobChannel } from './follower.ts';
import { isSessionJob } from './session-jobs.ts';

/** Creates the job channel to the client of a connection. */
export function toJobChannel(parts: DeliveryParts, connection: ClientConnection): JobChannel {
  const { sessionId, notify } = connection;
  const canDeliver = () => connection.canSend?.() ?? true;
  return {
    notify,
    canDeliver,
    whenDeliverable: (signal) => whenDeliverable(connection, signal),
    async sendEnd(end, signal) {
      if (sessionId === undefined) return end.send(await end.read());
      const isMarked = isSessionJob(end.task, sessionId);
      // A call that joined a job which had already ended is sent its end, even if another call was sent it before.
      const canRepeat = !end.isKnown && isTerminal(end.task.status);
      do await whenDeliverable(connection, signal);
      while (!(await sendOutcomeOnce(parts, end, { isMarked, canRepeat, canDeliver })));
    },
  };
}
