import type { Store } from 'holdfast';

/**
 * The same store for servers whose workers live in the test's own process: their hearts beat from its main thread.
 *
 * A thread costs more than most of these tests. Those about hearts, and all whose servers are processes, have one.
 */
export function beatHere({ heartbeat: _, ...store }: Store): Store {
  return store;
}
