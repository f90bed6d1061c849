import { type HeartTimer, startHeartTimer } from './heart-timer.ts';
import type { Heart, HeartbeatOptions } from './heartbeat.ts';
import { ThreadedHeart } from './threaded-heart.ts';

/**
 * Keeps the leases of one worker alive.
 *
 * A thread does it, so that a tool that blocks the main thread for a while does not lose its work. The thread also
 * notices when the block lasts too long. A store that lives in this thread only is beaten from here, and so is any other
 * while there is no thread: its code may have been taken off the disk, and leases must not run out for that.
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
