import type { ProcessGroupRef } from '../../contracts/worker-contract.ts';
import { toFrozen } from '../frozen.ts';

interface GroupRow {
  readonly group: ProcessGroupRef;
  /** When its worker was recovered; unset while the worker exists. */
  readonly orphanedAt?: number;
}

/** The process groups on record. */
export class GroupTable {
  /** By worker, then by pid. */
  readonly #rows = new Map<string, Map<number, GroupRow>>();

  put(group: ProcessGroupRef, orphanedAt: number | undefined): void {
    const rows = this.#rows.get(group.workerId) ?? new Map<number, GroupRow>();
    rows.set(group.pid, { group: toFrozen(group), ...(orphanedAt !== undefined && { orphanedAt }) });
    this.#rows.set(group.workerId, rows);
  }

  remove(workerId: string, pid: number): void {
    const rows = this.#rows.get(workerId);
    rows?.delete(pid);
    if (rows?.size === 0) this.#rows.delete(workerId);
  }

  removeAll(workerId: string): void {
    this.#rows.delete(workerId);
  }

  of(workerId: string): ProcessGroupRef[] {
    return [...(this.#rows.get(workerId)?.values() ?? [])].map(({ group }) => group);
  }

  /** Marks the process groups of a worker as orphans. */
  orphan(workerId: string, at: number): void {
    for (const { group } of this.#rows.get(workerId)?.values() ?? []) this.put(group, at);
  }

  orphansOf(host: string): ProcessGroupRef[] {
    return this.#orphans()
      .map(({ group }) => group)
      .filter((group) => group.host === host);
  }

  forgetOrphans(upTo: number): void {
    for (const { group, orphanedAt } of this.#orphans()) {
      if (orphanedAt <= upTo) this.remove(group.workerId, group.pid);
    }
  }

  #orphans(): Required<GroupRow>[] {
    const all = [...this.#rows.values()].flatMap((rows) => [...rows.values()]);
    return all.flatMap(({ group, orphanedAt }) => (orphanedAt === undefined ? [] : [{ group, orphanedAt }]));
  }
}
