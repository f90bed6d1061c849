import { until } from 'holdfast/testing';
import type { Program, Site } from './start-program.ts';

const PATIENT = { timeoutMs: 60_000 } as const;

/**
 * Waits until a detached worker takes what the program submits; its pid.
 *
 * Asked by work and not by the list of workers: one that finds nothing to do is gone again before a busy machine has looked.
 */
export async function untilDetached(site: Site, program: Program): Promise<number> {
  return until(async () => {
    const outcome = await site.access.outcome(await program.submit('where'));
    const { pid, isWorker } = (outcome as { value?: unknown }).value as { pid: number; isWorker: boolean };
    return isWorker && pid;
  }, PATIENT);
}
