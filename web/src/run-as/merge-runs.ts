import type { RunView } from '../../../src/sandbox/run-as/run-view.ts';

/** What was read of all runs, with those as they are that were heard of meanwhile, which is newer. */
export function mergeRuns<Run extends Pick<RunView, 'runId'>>(read: readonly Run[], heard: readonly Run[]): Run[] {
  const isNew = ({ runId }: Run) => !read.some((run) => run.runId === runId);
  return [...heard.filter(isNew), ...read.map((run) => heard.find(({ runId }) => runId === run.runId) ?? run)];
}
