import { setImmediate as nextTurn } from 'node:timers/promises';

/** One turn of the event loop to read that a connection has ended, the others to close it and whatever waits on it. */
const TURNS = 4;

/**
 * Resolves when this process has heard of every connection that broke before now. One that stood still reads the request of
 * who came again before it reads that the same one went: both are there, and requests are read first.
 */
export async function hearBreaks(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await nextTurn();
}
