import { useEffect, useState } from 'preact/hooks';
import type { RecordedClient } from '../../../src/sandbox/run-as/recorded-clients.ts';
import type { RunView } from '../../../src/sandbox/run-as/run-view.ts';
import { get } from '../live/api.ts';
import { live } from '../live/live.ts';
import { mergeRuns } from './merge-runs.ts';

interface Known {
  readonly clients: readonly RecordedClient[];
  readonly runs: readonly RunView[];
}

/** The clients that can be played and their runs, newest first; a run is read again when an event reports it. */
export function useRuns(): Known & { take(run: RunView): void } {
  const [known, setKnown] = useState<Known>({ clients: [], runs: [] });
  const take = (run: RunView) =>
    setKnown(({ clients, runs }) => ({
      clients,
      runs: runs.some(({ runId }) => runId === run.runId)
        ? runs.map((one) => (one.runId === run.runId ? run : one))
        : [run, ...runs],
    }));
  useEffect(() => {
    const fail = () => undefined;
    get<Known>('run-as').then(
      ({ clients, runs }) => setKnown((before) => ({ clients, runs: mergeRuns(runs, before.runs) })),
      fail,
    );
    const asked = new Map<string, number>();
    return live.on('run', ({ runId }) => {
      const turn = (asked.get(runId) ?? 0) + 1;
      asked.set(runId, turn);
      // A response overtaken by a newer request is stale.
      const takeNewest = ({ run }: { run: RunView }) => asked.get(runId) === turn && take(run);
      get<{ run: RunView }>(`run-as/${runId}`).then(takeNewest, fail);
    });
  }, []);
  return { ...known, take };
}
