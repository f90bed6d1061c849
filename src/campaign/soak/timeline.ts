import type { Mark } from '../report/line-plot.ts';

/** What was held at one moment. Absent is what cannot be known of this server. */
export interface Sample {
  /** Seconds since the start. */
  readonly at: number;
  readonly server_rss_bytes?: number;
  readonly worker_rss_bytes?: number;
  readonly server_descriptors?: number;
  readonly worker_descriptors?: number;
  readonly database_bytes?: number;
}

/** Something that was killed, and how it went on. */
export interface Kill {
  readonly what: 'server' | 'worker';
  readonly at: number;
  /** From the kill to the answer of the call that was under way, or of its repetition. */
  readonly recovery_ms: number | null;
}

/** Everything that happened in a soak, by seconds since its start. */
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
