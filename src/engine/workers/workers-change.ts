import { warn } from '../../stderr.ts';

/** Who runs the tasks that come from now on, as `onWorkers` is told when it changes. */
export type WorkersChange =
  | { readonly mode: 'detached' }
  | {
      /** In the serving process: what runs there ends with it. */
      readonly mode: 'inline';
      readonly why: string;
      /** Whether a detached worker is tried again. */
      readonly isTemporary: boolean;
    }
  /** Nobody in or beside this process: a newer Holdfast has taken over the store. */
  | { readonly mode: 'none'; readonly why: string };

/** Tells the operator and the program; a hook that fails must not keep the work from going on. */
export function tellWorkers(
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
