import type { Store } from 'holdfast';

/**
 * The same store without its heartbeat thread, for servers whose workers run in the test's process: heartbeats come from its
 * main thread.
 *
 * A thread costs more than most of these tests. Tests of heartbeats, and all tests whose servers are processes, do have one.
 */
export function beatHere({ heartbeat: _, ...store }: Store): Store {
  return store;
}
