import type { TaskResultProbe } from './probes.ts';

/** What is found while a soak runs. */
export interface Findings {
  readonly failures: string[];
  readonly errorCodes: Map<string, number>;
  malformedProbeOk: boolean;
  probe: TaskResultProbe;
}
