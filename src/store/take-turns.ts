/**
 * Who gets the free slots of a claim.
 *
 * Principals take turns, one task each, so a principal with ten thousand tasks and one with a single task are served alike.
 * All stores call this function; they only supply who waits, longest unserved first.
 */
import type { ClaimRequest } from './contracts/task-contract.ts';

/** A task that could run now. */
export interface Runnable {
  readonly tool: string;
  readonly runAt: number;
  /** Rises in the order of creation. */
  readonly row: number;
  /** How many workers were lost while it was at work. @default 0 */
  readonly losses?: number;
}

/** The runnable tasks of one principal and tool, oldest first. */
export interface RunnableQueue<T extends Runnable> {
  readonly tool: string;
  first(): T | undefined;
  shift(): void;
}

/** A principal with runnable tasks. */
export interface Contender<T extends Runnable> {
  readonly principal: string;
  readonly queues: readonly RunnableQueue<T>[];
}

/** The principal whose turn it is, and the task it gets. */
export interface Turn<T extends Runnable> {
  readonly principal: string;
  readonly task: T;
}

/** Distributes the slots. `contenders` is read only as far as there are slots. */
export function takeTurns<T extends Runnable>(contenders: Iterable<Contender<T>>, request: ClaimRequest): Turn<T>[] {
  const table = new SlotTable<T>(request);
  let round: Contender<T>[] = [];
  for (const contender of contenders) {
    if (table.left <= 0) break;
    if (table.give(contender)) round.push(contender);
  }
  while (round.length > 0 && table.left > 0) round = round.filter((contender) => table.give(contender));
  return table.turns;
}

/** Whether any contender would get a slot. */
export function isAnybodyNext<T extends Runnable>(contenders: Iterable<Contender<T>>, request: ClaimRequest): boolean {
  const table = new SlotTable<T>(request);
  for (const contender of contenders) if (table.give(contender)) return true;
  return false;
}

/** The remaining slots, and how many each principal has had. */
class SlotTable<T extends Runnable> {
  readonly turns: Turn<T>[] = [];
  readonly #request: ClaimRequest;
  readonly #leftOfTool: Map<string, number>;
  readonly #taken = new Map<string, Map<string, number>>();
  #suspectsLeft: number;

  constructor(request: ClaimRequest) {
    this.#request = request;
    this.#suspectsLeft = request.suspects?.max ?? Number.POSITIVE_INFINITY;
    this.#leftOfTool = new Map(Object.entries(request.free));
  }

  get left(): number {
    return this.#request.max - this.turns.length;
  }

  /** Gives the contender its oldest task that may run; `false` when there is none. */
  give(contender: Contender<T>): boolean {
    const { principal, queues } = contender;
    let best: RunnableQueue<T> | undefined;
    for (const queue of this.left > 0 ? queues : []) {
      const first = this.#firstOf(queue);
      if (first === undefined || !this.#admits(principal, queue.tool)) continue;
      const other = best?.first();
      if (other === undefined || isOlder(first, other)) best = queue;
    }
    const task = best?.first();
    if (best === undefined || task === undefined) return false;
    best.shift();
    this.#count(principal, best.tool);
    if (isLimited(task, this.#request)) this.#suspectsLeft -= 1;
    this.turns.push({ principal, task });
    return true;
  }

  /** Suspects above the limit are skipped for this claim. */
  #firstOf(queue: RunnableQueue<T>): T | undefined {
    let first = queue.first();
    while (this.#suspectsLeft <= 0 && first && isLimited(first, this.#request)) {
      queue.shift();
      first = queue.first();
    }
    return first;
  }

  #admits(principal: string, tool: string): boolean {
    const leftOfTool = Math.min(this.left, this.#leftOfTool.get(tool) ?? 0);
    if (leftOfTool <= 0) return false;
    const mine = this.#taken.get(principal);
    const taken = mine === undefined ? 0 : [...mine.values()].reduce((sum, one) => sum + one, 0);
    const wish = { principal, tool, taken, takenOfTool: mine?.get(tool) ?? 0, left: this.left, leftOfTool };
    return this.#request.admits?.(wish) ?? true;
  }

  #count(principal: string, tool: string): void {
    this.#leftOfTool.set(tool, (this.#leftOfTool.get(tool) ?? 0) - 1);
    const mine = this.#taken.get(principal) ?? new Map<string, number>();
    this.#taken.set(principal, mine.set(tool, (mine.get(tool) ?? 0) + 1));
  }
}

/** Whether a claim limits how many tasks like this one it takes. */
export function isLimited({ losses = 0 }: Pick<Runnable, 'losses'>, { suspects }: ClaimRequest): boolean {
  return suspects !== undefined && losses >= suspects.losses;
}

function isOlder(a: Runnable, b: Runnable): boolean {
  return a.runAt === b.runAt ? a.row < b.row : a.runAt < b.runAt;
}
