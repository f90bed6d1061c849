import { setImmediate as nextTurn } from 'node:timers/promises';

const MAX_TURN_MS = 10;

/** Lets long loops yield the thread: call the function often, and await the promise when it returns one. */
export function createTurn(): () => Promise<void> | undefined {
  let endsAt = performance.now() + MAX_TURN_MS;
  return () => {
    if (performance.now() < endsAt) return undefined;
    return nextTurn().then(() => {
      endsAt = performance.now() + MAX_TURN_MS;
    });
  };
}
