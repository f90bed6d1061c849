import type { Clock } from '../../clock.ts';
import type { Store } from '../../store/contract.ts';
import { LEARNED_RUNS } from '../../task/estimate.ts';

/** How long the run times of a tool that has run often are cached. */
const KNOWN_MS = 1000;
/** How many entries are cached; clearing the cache costs reads. */
const MAX_KNOWN = 1000;

interface Known {
  readonly runs: readonly number[];
  readonly until: number;
  /** Whether they are being read again; meanwhile other callers use these. */
  isBeingRead: boolean;
}

export interface LearnedRunsOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly identity: string;
}

/**
 * How long past runs took.
 *
 * While a tool has few runs, each run counts, and all are read every time. Once there are as many as are stored, one more
 * hardly moves their median.
 */
export class LearnedRuns {
  readonly #options: LearnedRunsOptions;
  readonly #known = new Map<string, Known>();

  constructor(options: LearnedRunsOptions) {
    this.#options = options;
  }

  async find(tool: string, principal: string): Promise<readonly number[]> {
    const { store, clock, identity } = this.#options;
    const name = `${tool.length} ${tool}${principal}`;
    const known = this.#known.get(name);
    if (known && (known.isBeingRead || clock.monotonic() < known.until)) return known.runs;
    if (known) known.isBeingRead = true;
    try {
      const runs = await store.tasks.durations(identity, tool, principal);
      if (this.#known.size >= MAX_KNOWN) this.#known.clear();
      const until = clock.monotonic() + KNOWN_MS;
      if (runs.length >= LEARNED_RUNS) this.#known.set(name, { runs, until, isBeingRead: false });
      return runs;
    } finally {
      if (known) known.isBeingRead = false;
    }
  }
}
