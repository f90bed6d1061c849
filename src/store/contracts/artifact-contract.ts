/** Artifacts: parts of a result that are too large for a response. */
import type { Lease } from './task-contract.ts';

/**
 * Pieces of a task's result, stored beside its record, so that reading the task's status does not read them.
 *
 * The worker that holds the task's lease writes them before the task ends. They are deleted with the result when the task
 * becomes a tombstone. A repeated attempt overwrites the pieces of the attempt before it.
 */
export interface Artifacts {
  /**
   * Stores one piece, replacing any piece at the same place. Its bytes count for the task's principal. `false` when the
   * lease is lost.
   */
  put(lease: Lease, piece: ArtifactPiece): Promise<boolean>;
  /** Returns the text of a piece; `undefined` when it does not exist or was deleted. */
  read(taskId: string, place: ArtifactPlace): Promise<string | undefined>;
}

/** Where a piece belongs: the artifact's name and the piece's index. */
export interface ArtifactPlace {
  /** The name of the artifact within its task. */
  readonly name: string;
  /** The index of the piece within the artifact, starting at 0. */
  readonly index: number;
}

/** One piece of an artifact. */
export interface ArtifactPiece extends ArtifactPlace {
  readonly text: string;
}
