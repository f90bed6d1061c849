import { setImmediate as nextTurn } from 'node:timers/promises';
import { hearBreaks } from './hear-breaks.ts';

/** A held call that is being written. */
interface Beginning {
  /** Whether its caller has gone meanwhile. */
  isGone(): boolean;
  readonly done: Promise<unknown>;
}

/** By the key; those of all engines of the process. */
const beginnings = new Map<string, Set<Beginning>>();

/**
 * Writes a held call, after those with the same key that began before it and whose callers have gone.
 *
 * A caller may go, and come again, before its first call is on disk. Then nobody can leave that call yet, and the second
 * one would find it waited for.
 */
export async function beginInTurn<T>(
  { key, isGone = () => false }: { readonly key: string; isGone?(): boolean },
  write: () => Promise<T>,
): Promise<T> {
  const all = beginnings.get(key) ?? new Set();
  const earlier = [...all];
  const done = untilLeft(all, earlier).then(write);
  const beginning = { isGone, done };
  beginnings.set(key, all.add(beginning));
  try {
    return await done;
  } finally {
    all.delete(beginning);
    if (all.size === 0) beginnings.delete(key);
  }
}

async function untilLeft(all: ReadonlySet<Beginning>, earlier: readonly Beginning[]): Promise<void> {
  if (earlier.length > 0) await hearBreaks();
  for (;;) {
    const left = earlier.filter((one) => all.has(one) && one.isGone());
    if (left.length === 0) return;
    await Promise.allSettled(left.map(({ done }) => done));
    // Whoever asked for it hears of it first, and leaves.
    await nextTurn();
  }
}
