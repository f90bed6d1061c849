import { BEATS_PER_LEASE, FENCED_AFTER, type HeartbeatOptions } from './heartbeat.ts';
import { toPulseFile, touchPulse } from './pulse.ts';

export interface HeartbeatTimer {
  stop(): void;
}

/** The last renewal before this timer started, and a listener for its successful ones. */
interface LastRenewalState {
  /** How long ago the last renewal started. */
  readonly silentMs: number;
  onRenewed?(agoMs: number): void;
}

/** Sends heartbeats from the main thread: needs no code to be loaded, but is delayed by a tool that blocks the thread. */
export function startHeartbeatTimer(
  options: Omit<HeartbeatOptions, 'onBlocked' | 'maxBlockMs'>,
  { silentMs, onRenewed }: LastRenewalState,
): HeartbeatTimer {
  const { store, clock, workerId, leaseMs } = options;
  const pulseFile = toPulseFile(store, workerId);
  let cancel = () => {};
  let stopped = false;
  let renewedAt = clock.monotonic() - silentMs;
  // Independent of the beat, which may hang: see `Store.isShared`.
  const cancelFence = store.isShared ? watchLease(options, () => !stopped && clock.monotonic() - renewedAt) : () => {};
  const beat = async () => {
    if (pulseFile !== undefined) touchPulse(pulseFile);
    const begunAt = clock.monotonic();
    try {
      const state = await store.workers.renew(workerId, leaseMs);
      renewedAt = begunAt;
      onRenewed?.(clock.monotonic() - begunAt);
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
      cancelFence();
    },
  };
}

/** Reports the leases as lost once they have gone too long without a renewal. */
function watchLease(
  { clock, leaseMs, onState }: Pick<HeartbeatOptions, 'clock' | 'leaseMs' | 'onState'>,
  getSilentMs: () => number | false,
): () => void {
  let cancel = () => {};
  const check = () => {
    const silentMs = getSilentMs();
    if (silentMs === false) return;
    if (silentMs >= leaseMs * FENCED_AFTER) onState(undefined);
    else cancel = clock.after(leaseMs / 10, check);
  };
  check();
  return () => cancel();
}
