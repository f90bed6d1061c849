// @ts-check
/** Heartbeats for a worker that come late: the module takes its time to load, and from then on the store cannot be reached. */
import { setTimeout as pause } from 'node:timers/promises';

await pause(Number(process.env.HOLDFAST_TEST_LATE_MS ?? 0));

export function openHeartbeat() {
  return { renew: () => new Promise(() => {}), close() {} };
}
