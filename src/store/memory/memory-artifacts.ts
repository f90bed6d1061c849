import type { ArtifactPiece, ArtifactPlace, Artifacts } from '../contracts/artifact-contract.ts';
import type { Lease } from '../contracts/task-contract.ts';
import { toTextBytes } from '../stored-bytes.ts';
import type { MemoryState } from './memory-state.ts';
import { findHeld } from './tasks/attempt.ts';

export function createMemoryArtifacts(state: MemoryState): Artifacts {
  return {
    put: async (lease, piece) => put(state.open(), lease, piece),
    read: async (taskId, place) => state.open().tasks.find({ taskId })?.artifacts.get(toKey(place)),
  };
}

function put(state: MemoryState, lease: Lease, { text, ...place }: ArtifactPiece): boolean {
  const row = findHeld(state, lease);
  if (row === undefined) return false;
  const before = row.artifacts.get(toKey(place));
  row.artifacts.set(toKey(place), text);
  const grown = toTextBytes(place.name, text) - (before === undefined ? 0 : toTextBytes(place.name, before));
  state.tasks.grow(row, grown);
  return true;
}

function toKey({ name, index }: ArtifactPlace): string {
  return `${index} ${name}`;
}
