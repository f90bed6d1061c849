import type { RunView } from '../../../src/sandbox/run-as/run-view.ts';

/** Merges the list of all runs with the runs received since it was requested, which are newer. */
export function mergeRuns<Run extends Pick<RunView, 'runId'>>(read: readonly Run[], heard: readonly Run[]): Run[] {
  const isNew = ({ runId }: Run) => !read.some((run) => run.runId === runId);
  return [...heard.filter(isNew), ...read.map((run) => heard.find(({ runId }) => runId === run.runId) ?? run)];
}
