import { isTerminal } from '../../task/status.ts';
import type { ClientConnection } from '../server-port.ts';
import { type MarkParts, tellOnce, whenHeard } from '../shared/following/session-end.ts';
import type { JobChannel } from './follower.ts';
import { isSessionJob } from './session-jobs.ts';

/** Creates the job channel to the client of a connection. */
export function toJobChannel(parts: MarkParts, connection: ClientConnection): JobChannel {
  const { sessionId, notify } = connection;
  const canHear = () => connection.canSend?.() ?? true;
  return {
    notify,
    canHear,
    whenHeard: (signal) => whenHeard(connection, signal),
    async tellEnd(end, signal) {
      if (sessionId === undefined) return end.send(await end.read());
      const isMarked = isSessionJob(end.task, sessionId);
      // A call that joined a job which had already ended is sent its end, even if another call was sent it before.
      const isAnew = !end.isKnown && isTerminal(end.task.status);
      do await whenHeard(connection, signal);
      while (!(await tellOnce(parts, end, { isMarked, isAnew, canHear })));
    },
  };
}
