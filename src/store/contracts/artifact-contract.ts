/** Parts of results that are too large for an answer. */
import type { Lease } from './task-contract.ts';

/**
 * Pieces of what a task gave, kept beside its record, so that nobody reads them who only asks how the task is.
 *
 * They are written by whoever holds the task, before it ends, and go with its result when it becomes a tombstone. An
 * attempt that is repeated writes its pieces over those of the one before.
 */
export interface Artifacts {
  /** Keeps one piece; one at the same place is replaced. It counts for the task's principal. `false` when the lease is lost. */
  put(lease: Lease, piece: ArtifactPiece): Promise<boolean>;
  /** The text of a piece; nothing when there is none, or not any more. */
  read(taskId: string, place: ArtifactPlace): Promise<string | undefined>;
}

/** Where a piece belongs. */
export interface ArtifactPlace {
  /** Which of the task's artifacts. */
  readonly name: string;
  /** Which piece of it, from 0 on. */
  readonly index: number;
}

/** One piece of an artifact. */
export interface ArtifactPiece extends ArtifactPlace {
  readonly text: string;
}
