import { warn } from '../../stderr.ts';

/** Where new tasks run from now on, as passed to `onWorkers` when it changes. */
export type WorkersChange =
  | { readonly mode: 'detached' }
  | {
      /** In the serving process: tasks that run there end with it. */
      readonly mode: 'inline';
      readonly why: string;
      /** Whether the start of a detached worker is retried. */
      readonly isTemporary: boolean;
    }
  /** Neither in nor beside this process: the store refuses it for good, as after a newer Holdfast took over. */
  | { readonly mode: 'none'; readonly why: string };

/** Reports the change to the operator and the program; a hook that fails must not stop the work. */
export function reportWorkersChange(
  change: WorkersChange,
  options: { readonly onWorkers: ((change: WorkersChange) => unknown) | undefined; report(error: unknown): void },
): void {
  warn(toLine(change));
  try {
    Promise.resolve(options.onWorkers?.(change)).catch(options.report);
  } catch (error) {
    options.report(error);
  }
}

function toLine(change: WorkersChange): string {
  if (change.mode === 'detached') return 'a detached worker runs the tasks again';
  if (change.mode === 'none') return `this process runs no tasks any more: ${change.why}`;
  return `WARNING: tasks run in this process and end with it${change.isTemporary ? ' for now' : ''}: ${change.why}`;
}
