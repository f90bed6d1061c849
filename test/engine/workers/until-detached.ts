import { until } from 'holdfast/testing';
import type { Program, Site } from './start-program.ts';

const PATIENT = { timeoutMs: 60_000 } as const;

/** Waits until a detached worker takes what the program submits; its pid. There must be work meanwhile. */
export async function untilDetached(site: Site, program: Program): Promise<number> {
  const isThere = async () => {
    const workers = await site.store.workers.list();
    return workers.some(({ kind, state }) => kind === 'detached' && state === 'ready');
  };
  await until(isThere, PATIENT);
  return until(async () => {
    const outcome = await site.access.outcome(await program.submit('where'));
    const { pid, isWorker } = (outcome as { value?: unknown }).value as { pid: number; isWorker: boolean };
    return isWorker && pid;
  }, PATIENT);
}
