import type { Mark } from '../report/line-plot.ts';

/** Resources in use at one moment. Values that cannot be measured for this server are absent. */
export interface Sample {
  /** Seconds since the start. */
  readonly at: number;
  readonly server_rss_bytes?: number;
  readonly worker_rss_bytes?: number;
  readonly server_descriptors?: number;
  readonly worker_descriptors?: number;
  readonly database_bytes?: number;
}

/** A kill, and the recovery from it. */
export interface Kill {
  readonly what: 'server' | 'worker';
  readonly at: number;
  /** Time from the kill to the response to the interrupted call, or to its repetition; null if there was none. */
  readonly recovery_ms: number | null;
}

/** All events of a soak, by seconds since its start. */
export class Timeline {
  readonly latencies: { readonly at: number; readonly value: number }[] = [];
  readonly samples: Sample[] = [];
  readonly kills: Kill[] = [];
  readonly #startedAt = performance.now();

  now(): number {
    return (performance.now() - this.#startedAt) / 1000;
  }

  marks(): readonly Mark[] {
    return this.kills.flatMap(({ what, at, recovery_ms: recoveryMs }) => [
      { at, label: `${what} killed`, kind: 'fault' as const },
      ...(recoveryMs === null
        ? []
        : [{ at: at + recoveryMs / 1000, label: 'answered again', kind: 'recovery' as const }]),
    ]);
  }
}
