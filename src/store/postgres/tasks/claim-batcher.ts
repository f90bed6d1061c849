/**
 * Merges equal claims into one: separately, each would cost a transaction, and all would try for the same tasks.
 *
 * While one is running, later equal claims wait, and then run together.
 */
import type { Claimed, ClaimRequest } from '../../contracts/task-contract.ts';

interface Waiting {
  readonly resolve: (claimed: Claimed[]) => void;
  readonly reject: (error: unknown) => void;
}

const MAX_BATCH = 256;

export class ClaimBatcher {
  readonly #claim: (request: ClaimRequest) => Promise<Claimed[]>;
  /** Waiting claims by what they ask for; an entry exists while such a claim is running. */
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(claim: (request: ClaimRequest) => Promise<Claimed[]>) {
    this.#claim = claim;
  }

  claim(request: ClaimRequest): Promise<Claimed[]> {
    // `admits` and suspect limits apply to one claim only, so such claims are not merged.
    if (request.admits !== undefined || request.suspects !== undefined) return this.#claim(request);
    const key = toKey(request);
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(key);
      if (waiting) waiting.push({ resolve, reject });
      else {
        this.#waiting.set(key, [{ resolve, reject }]);
        setImmediate(() => void this.#runBatches(key, request));
      }
    });
  }

  async #runBatches(key: string, request: ClaimRequest): Promise<void> {
    const waiting = this.#waiting.get(key) ?? [];
    while (waiting.length > 0) {
      const batch = waiting.splice(0, MAX_BATCH);
      try {
        const shares = distribute(await this.#claim(multiply(request, batch.length)), batch.length);
        for (const [place, { resolve }] of batch.entries()) resolve(shares[place] ?? []);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#waiting.delete(key);
  }
}

function toKey({ worker, identity, free, max }: ClaimRequest): string {
  return JSON.stringify([worker, identity, max, Object.entries(free).sort(([a], [b]) => (a < b ? -1 : 1))]);
}

function multiply(request: ClaimRequest, many: number): ClaimRequest {
  const free = Object.entries(request.free).map(([tool, slots]) => [tool, slots * many]);
  return { ...request, max: request.max * many, free: Object.fromEntries(free) as Record<string, number> };
}

/** Distributes tasks tool by tool, so that no claim gets more of a tool, or more in total, than its share. */
function distribute(claimed: readonly Claimed[], many: number): Claimed[][] {
  const shares = Array.from({ length: many }, () => [] as { readonly one: Claimed; readonly place: number }[]);
  const byTool = claimed
    .map((one, place) => ({ one, place }))
    .sort((a, b) => compare(a.one.task.tool, b.one.task.tool));
  for (const [turn, next] of byTool.entries()) shares[turn % many]?.push(next);
  return shares.map((share) => share.sort((a, b) => a.place - b.place).map(({ one }) => one));
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
