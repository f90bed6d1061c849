import type { Clock } from '../../clock.ts';
import type { Store } from '../../store/contract.ts';
import { LEARNED_RUNS } from '../../task/estimate.ts';

/** How long the run times of a tool that has run often are taken for known. */
const KNOWN_MS = 1000;
/** Forgetting costs a read. */
const MAX_KNOWN = 1000;

interface Known {
  readonly runs: readonly number[];
  readonly until: number;
  /** Somebody reads them again; the others make do with these. */
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
 * As long as a tool has run seldom each run counts, and is read. Once there are as many as are kept, one more hardly moves
 * their middle.
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
