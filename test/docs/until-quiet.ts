import { until } from 'holdfast/testing';
import type { Desk } from './open-desk.ts';

/** Waits until the workers of the server `reports` have ended, so that nothing of the desk is in use any more. */
export async function untilQuiet(desk: Desk): Promise<void> {
  const isQuiet = async () => !/^workers: /m.test(await desk.run('npx holdfast tasks list --name reports'));
  await until(isQuiet, { timeoutMs: 60_000, what: 'the workers to end' });
}
