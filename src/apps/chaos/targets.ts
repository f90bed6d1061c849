/** The targets of faults, and what a poison task does to its worker: shared by the journal and its judge. */

/** Processes of the stage. Workers are the detached processes that the others start. */
export const PARTS = ['server', 'worker', 'submitter', 'host'] as const;
export type Part = (typeof PARTS)[number];

/** The target of a fault: a process, or a resource that processes share. */
export type Target = Part | 'network' | 'disk' | 'store' | 'queue';

/** What a poison task does to the worker that runs it. */
export const POISONS = ['segfault', 'exit', 'block', 'huge'] as const;
export type Poison = (typeof POISONS)[number];
