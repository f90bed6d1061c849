/** Which programs serve a store, and how the tasks of one that is gone get to another. */
import type { Actor } from '../../task/actor.ts';
import type { ProcessRef } from './worker-contract.ts';

/**
 * The programs of a store, by identity.
 *
 * Only workers of its own identity run a task. A program that was started with another environment, command line or
 * directory has another identity under the same name; what is known here tells which tasks it left behind.
 */
export interface Programs {
  /**
   * Keeps that an engine serves a program, or, when it was announced before, that it still does. The first announcement of
   * an engine makes its program the one of its name that was seen last, and its tools those of the program. Programs
   * without tasks that nobody has served for a week are forgotten.
   */
  announce(serving: NewServing): Promise<void>;

  /** An engine serves no more, or its process is gone. */
  leave(servingId: string): Promise<void>;

  /** All engines that serve the store, whatever they serve. */
  servings(): Promise<ServingInfo[]>;

  /** Last seen first; with `name` only those. */
  list(name?: string): Promise<ProgramInfo[]>;

  /**
   * Gives tasks of one identity to another (event `adopted`), oldest first: those in the queue, then those that wait for
   * an answer and that no worker holds. Fence, attempt, steps, answers and hold stay as they are; its idempotency key and its
   * alias count for the new identity from then on.
   *
   * A task whose key or alias is in use there is left alone: the same work was submitted again. Nothing changes, and
   * `undefined` says so, when the identity has a worker that is not draining, or an engine that serves it, other than
   * those that `gone` names.
   */
  adopt(adoption: Adoption): Promise<Adopted[] | undefined>;
}

/** An engine that serves a program. */
export interface NewServing {
  readonly servingId: string;
  readonly identity: string;
  /** What programs of different identities have in common. */
  readonly name: string;
  /** The same for programs that differ in their environment only. */
  readonly base: string;
  readonly tools: readonly string[];
  readonly process: ProcessRef;
  /** Identities that earlier versions gave this program; those that have tasks, and are not known, get its name. */
  readonly formerly?: readonly string[];
}

/** An engine that serves the store. */
export interface ServingInfo {
  readonly servingId: string;
  readonly tools: readonly string[];
  readonly process: ProcessRef;
  /** When it was announced last. */
  readonly seenAt: number;
}

/** A program that has served the store. */
export interface ProgramInfo {
  readonly identity: string;
  readonly name: string;
  readonly base: string;
  /** Of the engine that was announced first most recently. */
  readonly tools: readonly string[];
  /** When an engine of it was first announced, the last time; different for each program of a name. */
  readonly seenAt: number;
  readonly servings: readonly ServingInfo[];
  /** How many of its tasks wait that no worker holds, by tool. */
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
  /** Engines and workers of `from` whose processes are known to be gone. */
  readonly gone?: { readonly servings?: readonly string[]; readonly workers?: readonly string[] };
  readonly by: Actor;
  /** How many tasks at most. */
  readonly limit: number;
}

/** A task that belongs to another program now. */
export interface Adopted {
  readonly taskId: string;
  readonly tool: string;
  readonly principal: string;
}

/** How long a program without tasks is remembered. */
export const FORGOTTEN_AFTER_MS = 604_800_000;
