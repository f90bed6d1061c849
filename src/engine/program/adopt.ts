import type { Store } from '../../store/contract.ts';
import type { Adopted, Adoption } from '../../store/contracts/program-contract.ts';
import type { Actor } from '../../task/actor.ts';
import type { Audit } from '../audit.ts';
import type { Stranded } from './stranded.ts';

const BATCH = 500;

export interface AdoptParts {
  readonly store: Store;
  readonly audit: Audit | undefined;
  readonly by: Actor;
}

/** Gives stranded tasks to a program; `undefined` when a process has started to serve their program meanwhile. */
export async function adoptStranded(
  { store, audit, by }: AdoptParts,
  { identity: from, tool, gone }: Stranded,
  { to, taskIds }: Pick<Adoption, 'to' | 'taskIds'>,
): Promise<Adopted[] | undefined> {
  const all: Adopted[] = [];
  const only = taskIds === undefined ? {} : { taskIds };
  // In batches: one large transaction would block the servers on the store.
  for (;;) {
    const adopted = await store.programs.adopt({ from, to, tools: [tool], gone, by, limit: BATCH, ...only });
    if (adopted === undefined) return all.length === 0 ? undefined : all;
    for (const task of adopted) audit?.({ at: store.time().now, action: 'adopted', by, ...task });
    all.push(...adopted);
    if (adopted.length < BATCH) return all;
  }
}
