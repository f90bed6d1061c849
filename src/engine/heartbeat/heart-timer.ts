import { BEATS_PER_LEASE, FENCED_AFTER, type HeartbeatOptions } from './heartbeat.ts';
import { givePulse, toPulseFile } from './pulse.ts';

export interface HeartTimer {
  stop(): void;
}

/** What came before the first beat of a timer, and who else wants to know of those that went well. */
interface HeartTimerPast {
  /** How long ago the last renewal began. */
  readonly silentMs: number;
  onRenewed?(agoMs: number): void;
}

/** Beats from the main thread: nothing is loaded for it, and a tool that blocks the thread holds it up. */
export function startHeartTimer(
  options: Omit<HeartbeatOptions, 'onBlocked' | 'maxBlockMs'>,
  { silentMs, onRenewed }: HeartTimerPast,
): HeartTimer {
  const { store, clock, workerId, leaseMs } = options;
  const pulseFile = toPulseFile(store, workerId);
  let cancel = () => {};
  let stopped = false;
  let renewedAt = clock.monotonic() - silentMs;
  // Beside the beat, which may hang: see `Store.isShared`.
  const cancelFence = store.isShared ? watchLease(options, () => !stopped && clock.monotonic() - renewedAt) : () => {};
  const beat = async () => {
    if (pulseFile !== undefined) givePulse(pulseFile);
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

/** Tells the worker that all is lost once it has gone too long without a renewal. */
function watchLease(
  { clock, leaseMs, onState }: Pick<HeartbeatOptions, 'clock' | 'leaseMs' | 'onState'>,
  toSilentMs: () => number | false,
): () => void {
  let cancel = () => {};
  const look = () => {
    const silentMs = toSilentMs();
    if (silentMs === false) return;
    if (silentMs >= leaseMs * FENCED_AFTER) onState(undefined);
    else cancel = clock.after(leaseMs / 10, look);
  };
  look();
  return () => cancel();
}
