import { setImmediate as nextTurn } from 'node:timers/promises';

/** One turn of the event loop to read that a connection has ended, the others to close it and settle what waits on it. */
const TURNS = 4;

/**
 * Resolves when this process has noticed every connection that broke before now. After a pause, it reads the request of a
 * client that came back before it reads that the client's old connection ended: both are pending, and requests are read
 * first.
 */
export async function awaitPendingDisconnects(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await nextTurn();
}
