import { type HeartTimer, startHeartTimer } from './heart-timer.ts';
import type { Heart, HeartbeatOptions } from './heartbeat.ts';
import { ThreadedHeart } from './threaded-heart.ts';

/**
 * Keeps the leases of one worker alive.
 *
 * A thread does it, so that a tool that blocks the main thread for a while does not lose its work. The thread also
 * notices when the block lasts too long. The main thread beats for a store that exists in this thread only, and for any
 * other while there is no thread: its code may have been deleted from disk, and leases must not expire because of that.
 */
export function startHeartbeat(options: HeartbeatOptions): Heart {
  if (options.store.heartbeat) return new ThreadedHeart(options, options.store.heartbeat);
  let timer: HeartTimer | undefined;
  return {
    loaded: Promise.resolve(),
    begin: (askedMs) => {
      timer = startHeartTimer(options, { silentMs: askedMs });
    },
    stop: async () => timer?.stop(),
  };
}
