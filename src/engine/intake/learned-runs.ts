import type { Clock } from '../../clock.ts';
import type { Store } from '../../store/contract.ts';
import { LEARNED_RUNS } from '../../task/estimate.ts';

/** How long the run times of a tool that has run often are cached. */
const CACHE_MS = 1000;
/** How many entries are cached; clearing the cache costs reads. */
const MAX_CACHED = 1000;

interface CachedRuns {
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
  readonly #cache = new Map<string, CachedRuns>();

  constructor(options: LearnedRunsOptions) {
    this.#options = options;
  }

  async find(tool: string, principal: string): Promise<readonly number[]> {
    const { store, clock, identity } = this.#options;
    const name = `${tool.length} ${tool}${principal}`;
    const cached = this.#cache.get(name);
    if (cached && (cached.isBeingRead || clock.monotonic() < cached.until)) return cached.runs;
    if (cached) cached.isBeingRead = true;
    try {
      const runs = await store.tasks.durations(identity, tool, principal);
      if (this.#cache.size >= MAX_CACHED) this.#cache.clear();
      const until = clock.monotonic() + CACHE_MS;
      if (runs.length >= LEARNED_RUNS) this.#cache.set(name, { runs, until, isBeingRead: false });
      return runs;
    } finally {
      if (cached) cached.isBeingRead = false;
    }
  }
}
