import type { HeartbeatOptions, WorkerHeartbeat } from './heartbeat.ts';
import { type HeartbeatTimer, startHeartbeatTimer } from './heartbeat-timer.ts';
import { ThreadedHeartbeat } from './threaded-heartbeat.ts';

/**
 * Keeps the leases of one worker alive.
 *
 * A thread does it, so that a tool that blocks the main thread for a while does not lose its work. The thread also
 * notices when the block lasts too long. The main thread beats for a store that exists in this thread only, and for any
 * other while there is no thread: its code may have been deleted from disk, and leases must not expire because of that.
 */
export function startHeartbeat(options: HeartbeatOptions): WorkerHeartbeat {
  if (options.store.heartbeat) return new ThreadedHeartbeat(options, options.store.heartbeat);
  let timer: HeartbeatTimer | undefined;
  return {
    loaded: Promise.resolve(),
    begin: (askedMs) => {
      timer = startHeartbeatTimer(options, { silentMs: askedMs });
    },
    stop: async () => timer?.stop(),
  };
}
