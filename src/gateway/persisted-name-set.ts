import type { Snapshot, SnapshotFile } from './snapshot.ts';

/** A set of names that were observed once; kept on disk, so later processes know them too. */
export interface PersistedNameSet {
  has(name: string): boolean;
  add(name: string): void;
}

/** The names of one kind, kept in the snapshot. */
export function openPersistedNames(
  snapshot: SnapshotFile,
  kind: keyof Pick<Snapshot, 'asking' | 'slow'>,
  report: (error: unknown) => void,
): PersistedNameSet {
  return {
    has: (name) => snapshot.now[kind].includes(name),
    add(name) {
      if (snapshot.now[kind].includes(name)) return;
      const before = snapshot.refresh();
      try {
        snapshot.write({ ...before, [kind]: [...new Set([...before[kind], name])] });
      } catch (error) {
        report(error);
      }
    },
  };
}
