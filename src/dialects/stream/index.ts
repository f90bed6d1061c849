/** Streamed runs, for programs that have only an app's state file. */
export { formatRunEvent } from './format-event.ts';
export { type RunEvent, toGapEvent, toRunEvent } from './run-event.ts';
export type { NewInLog } from './state/log-cursor.ts';
export type { LoggedEvent, RunName } from './state/run-state.ts';
export { type WatchedRun, type WatchRunOptions, watchRun } from './state/state-watcher.ts';
