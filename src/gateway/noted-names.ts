import type { Snapshot, SnapshotFile } from './snapshot.ts';

/** What was seen once and is remembered, also by the processes that come after this one. */
export interface NotedNames {
  has(name: string): boolean;
  add(name: string): void;
}

/** Names of one kind, kept in the snapshot. */
export function noteNames(
  snapshot: SnapshotFile,
  kind: keyof Pick<Snapshot, 'asking' | 'slow'>,
  report: (error: unknown) => void,
): NotedNames {
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
