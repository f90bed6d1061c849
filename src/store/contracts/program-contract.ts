/** Which programs serve a store, and how tasks of a program that is gone are adopted by another. */
import type { Actor } from '../../task/actor.ts';
import type { ProcessRef } from './worker-contract.ts';

/**
 * The programs of a store, by identity.
 *
 * A worker runs only tasks of its own identity. A program started with another environment, command line or directory has
 * another identity under the same name; this registry shows which tasks the earlier identity left behind.
 */
export interface Programs {
  /**
   * Records that an engine serves a program, or that it still does. The first announcement of an engine makes its program
   * the last seen of its name and replaces the program's list of tools. Programs of the same name that have no tasks and no
   * engine are deleted once their `seenAt` is a week old.
   */
  announce(serving: NewServing): Promise<void>;

  /** Removes an engine that stopped serving, or whose process is gone. */
  leave(servingId: string): Promise<void>;

  /** Lists all engines that serve the store, for all programs. */
  servings(): Promise<ServingInfo[]>;

  /** Lists programs, last seen first; with `name` only those of that name. */
  list(name?: string): Promise<ProgramInfo[]>;

  /**
   * Moves tasks of one identity to another (event `adopted`), oldest first: queued tasks before tasks that wait for an
   * answer and have no worker. Fence, attempt, steps, answers and hold do not change; idempotency key and alias count for
   * the new identity from then on.
   *
   * A task whose key or alias is already in use in the new identity is not moved: the same work was submitted again there.
   * Returns `undefined` and changes nothing when the old identity has a worker that is not draining, or an engine that
   * serves it, other than those named in `gone`.
   */
  adopt(adoption: Adoption): Promise<Adopted[] | undefined>;
}

/** An engine that serves a program. */
export interface NewServing {
  readonly servingId: string;
  readonly identity: string;
  /** The name that programs of different identities share. */
  readonly name: string;
  /** Equal for programs that differ only in their environment. */
  readonly base: string;
  readonly tools: readonly string[];
  readonly process: ProcessRef;
  /**
   * Identities that earlier versions gave this program. Those that have tasks but no program yet are recorded under this
   * name.
   */
  readonly formerly?: readonly string[];
}

/** An engine that serves the store. */
export interface ServingInfo {
  readonly servingId: string;
  readonly tools: readonly string[];
  readonly process: ProcessRef;
  /** When the engine was last announced. */
  readonly seenAt: number;
}

/** A program that has served the store. */
export interface ProgramInfo {
  readonly identity: string;
  readonly name: string;
  readonly base: string;
  /** The tools of the engine whose first announcement is the most recent. */
  readonly tools: readonly string[];
  /** When the most recent engine was first announced; unique among the programs of one name. */
  readonly seenAt: number;
  readonly servings: readonly ServingInfo[];
  /** How many of its tasks wait without a worker, by tool. */
  readonly waiting: Readonly<Record<string, number>>;
}

/** Which tasks move from one program to another. */
export interface Adoption {
  readonly from: string;
  readonly to: string;
  /** Only these tasks. @default all */
  readonly taskIds?: readonly string[];
  /** Only tasks of these tools. @default all */
  readonly tools?: readonly string[];
  /** Engines and workers of `from` whose processes are known to be gone; they do not prevent the adoption. */
  readonly gone?: { readonly servings?: readonly string[]; readonly workers?: readonly string[] };
  readonly by: Actor;
  /** The maximum number of tasks to move. */
  readonly limit: number;
}

/** A task that was moved to another program. */
export interface Adopted {
  readonly taskId: string;
  readonly tool: string;
  readonly principal: string;
}

/** How long a program without tasks and engines is kept. */
export const FORGOTTEN_AFTER_MS = 604_800_000;
