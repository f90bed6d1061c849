/** Who can be hit by a fault, and what a task can do to its worker: words that the journal and its judge share. */

/** Processes of the stage. Workers are whatever the others start and leave running. */
export const PARTS = ['server', 'worker', 'submitter', 'host'] as const;
export type Part = (typeof PARTS)[number];

/** What a fault is done to: a process, or what they share. */
export type Target = Part | 'network' | 'disk' | 'store' | 'queue';

/** What a poison task does to the worker that runs it. */
export const POISONS = ['segfault', 'exit', 'block', 'huge'] as const;
export type Poison = (typeof POISONS)[number];
