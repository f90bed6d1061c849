import { setImmediate as nextTurn } from 'node:timers/promises';
import { hearBreaks } from './hear-breaks.ts';

/** A held call that is being written. */
interface Beginning {
  /** Whether its caller has disconnected meanwhile. */
  isGone(): boolean;
  readonly done: Promise<unknown>;
}

/** By key; shared by all engines of the process. */
const beginnings = new Map<string, Set<Beginning>>();

/**
 * Writes a held call, after those with the same key that began before it and whose callers have disconnected.
 *
 * A client may disconnect and call again before its first call is on disk. The hold of that call cannot end yet, and the
 * second call would find it waited for.
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
    // The code that awaits the write continues first, and ends the hold.
    await nextTurn();
  }
}
