/** The role of a program that `holdfast worker` has started: it runs tasks until it is told to stop. */
import { keepAlive } from '../../keep-alive.ts';
import { warn } from '../../stderr.ts';
import type { Audit } from '../audit.ts';
import type { EngineParts } from '../engine-parts.ts';
import { LocalWorkers } from './local-workers.ts';
import { WORKER_FAILED } from './worker-life.ts';
import type { WorkersChange } from './workers-change.ts';

/**
 * Claims the tasks of its identity, on any machine, and stays when there are none. On SIGTERM it finishes what ends in
 * time and hands back the rest. Never returns.
 *
 * Unlike a detached worker it is not started on demand, so it reserves no place: there may be any number.
 */
export async function runServiceRole(parts: EngineParts, audit: Audit | undefined): Promise<never> {
  keepAlive();
  let exiting: Promise<never> | undefined;
  const exit = (code: number): Promise<never> => {
    exiting ??= stopAndExit(parts, serving, code);
    return exiting;
  };
  const onWorkers = (change: WorkersChange) => {
    parts.onWorkers?.(change);
    // Its results could not be stored any more: its service manager starts one that can.
    if (change.mode === 'none') void exit(WORKER_FAILED);
  };
  const serving = new LocalWorkers({ ...parts, workers: 'inline', onWorkers }, audit);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void exit(0));
  try {
    await serving.start();
  } catch (error) {
    parts.report(error);
    return exit(WORKER_FAILED);
  }
  warn(`the worker of ${parts.name} is ready (identity ${parts.identity})`);
  return new Promise<never>(() => {});
}

async function stopAndExit(
  { store, releases, report }: EngineParts,
  serving: LocalWorkers,
  code: number,
): Promise<never> {
  await serving
    .stop()
    .then(() => releases.close())
    .then(() => store.close())
    .catch(report);
  process.exit(code);
}
