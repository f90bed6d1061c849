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

const MOST = 256;

export class ClaimCrowd {
  readonly #claim: (request: ClaimRequest) => Promise<Claimed[]>;
  /** Waiting claims by what they ask for; an entry exists while such a claim is running. */
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(claim: (request: ClaimRequest) => Promise<Claimed[]>) {
    this.#claim = claim;
  }

  claim(request: ClaimRequest): Promise<Claimed[]> {
    // `admits` and suspect limits apply to one claim only, so such claims are not merged.
    if (request.admits !== undefined || request.suspects !== undefined) return this.#claim(request);
    const wish = toWish(request);
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(wish);
      if (waiting) waiting.push({ resolve, reject });
      else {
        this.#waiting.set(wish, [{ resolve, reject }]);
        setImmediate(() => void this.#serve(wish, request));
      }
    });
  }

  async #serve(wish: string, request: ClaimRequest): Promise<void> {
    const waiting = this.#waiting.get(wish) ?? [];
    while (waiting.length > 0) {
      const crowd = waiting.splice(0, MOST);
      try {
        const piles = deal(await this.#claim(times(request, crowd.length)), crowd.length);
        for (const [place, { resolve }] of crowd.entries()) resolve(piles[place] ?? []);
      } catch (error) {
        for (const { reject } of crowd) reject(error);
      }
    }
    this.#waiting.delete(wish);
  }
}

function toWish({ worker, identity, free, max }: ClaimRequest): string {
  return JSON.stringify([worker, identity, max, Object.entries(free).sort(([a], [b]) => (a < b ? -1 : 1))]);
}

function times(request: ClaimRequest, many: number): ClaimRequest {
  const free = Object.entries(request.free).map(([tool, slots]) => [tool, slots * many]);
  return { ...request, max: request.max * many, free: Object.fromEntries(free) as Record<string, number> };
}

/** Distributes tasks tool by tool, so that no claim gets more of a tool, or more in total, than its share. */
function deal(claimed: readonly Claimed[], many: number): Claimed[][] {
  const piles = Array.from({ length: many }, () => [] as { readonly one: Claimed; readonly place: number }[]);
  const byTool = claimed
    .map((one, place) => ({ one, place }))
    .sort((a, b) => compare(a.one.task.tool, b.one.task.tool));
  for (const [turn, dealt] of byTool.entries()) piles[turn % many]?.push(dealt);
  return piles.map((pile) => pile.sort((a, b) => a.place - b.place).map(({ one }) => one));
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
