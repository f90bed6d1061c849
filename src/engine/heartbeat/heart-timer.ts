import { BEATS_PER_LEASE, type HeartbeatOptions } from './heartbeat.ts';
import { givePulse, toPulseFile } from './pulse.ts';

export interface HeartTimer {
  stop(): void;
}

/** Beats from the main thread: nothing is loaded for it, and a tool that blocks the thread holds it up. */
export function startHeartTimer(options: Omit<HeartbeatOptions, 'onBlocked' | 'maxBlockMs'>): HeartTimer {
  const { store, clock, workerId, leaseMs } = options;
  const pulseFile = toPulseFile(store, workerId);
  let cancel = () => {};
  let stopped = false;
  const beat = async () => {
    if (pulseFile !== undefined) givePulse(pulseFile);
    try {
      const state = await store.workers.renew(workerId, leaseMs);
      if (state !== 'ready' && !stopped) options.onState(state);
    } catch (error) {
      options.report(error);
    }
    arm();
  };
  const arm = () => {
    if (!stopped) cancel = clock.after(leaseMs / BEATS_PER_LEASE, () => void beat());
  };
  arm();
  return {
    stop() {
      stopped = true;
      cancel();
    },
  };
}
