import type { Task } from '../../../task/record.ts';

type Owner = Pick<Task, 'principal' | 'identity'>;

interface Usage {
  bytes: number;
  waiting: number;
  /** Rises with every claim; the principals with the lowest number are next. */
  served: number;
}

/** How much of the store each principal uses, by identity. */
export class UsageTable {
  readonly #usages = new Map<string, Map<string, Usage>>();
  #lastServed = 0;

  /** Summed over all identities. */
  bytes(principal: string): number {
    return [...(this.#usages.get(principal)?.values() ?? [])].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Whether any principal has tasks of an identity. */
  has(identity: string): boolean {
    return [...this.#usages.values()].some((mine) => mine.has(identity));
  }

  /** How many tasks are queued or wait for an answer. */
  waiting(owner: Owner): number {
    return this.#find(owner)?.waiting ?? 0;
  }

  served(owner: Owner): number {
    return this.#find(owner)?.served ?? 0;
  }

  serve(owner: Owner): void {
    this.#lastServed += 1;
    this.#open(owner).served = this.#lastServed;
  }

  add(owner: Owner, bytes: number): void {
    this.#open(owner).bytes += bytes;
  }

  wait(owner: Owner, tasks: 1 | -1): void {
    this.#open(owner).waiting += tasks;
  }

  /** Removes the bytes of a task; a principal without tasks is removed. */
  remove(owner: Owner, bytes: number): void {
    this.add(owner, -bytes);
    const mine = this.#usages.get(owner.principal);
    if (mine?.get(owner.identity)?.bytes === 0) mine.delete(owner.identity);
    if (mine?.size === 0) this.#usages.delete(owner.principal);
  }

  #find({ principal, identity }: Owner): Usage | undefined {
    return this.#usages.get(principal)?.get(identity);
  }

  #open({ principal, identity }: Owner): Usage {
    const mine = this.#usages.get(principal) ?? new Map<string, Usage>();
    const usage = mine.get(identity) ?? { bytes: 0, waiting: 0, served: 0 };
    this.#usages.set(principal, mine.set(identity, usage));
    return usage;
  }
}
