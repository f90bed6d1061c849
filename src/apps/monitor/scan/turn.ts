import { setImmediate as nextTurn } from 'node:timers/promises';

const MAX_TURN_MS = 10;

/** Lets others have the thread from time to time: call it often, and wait for it when it says so. */
export function createTurn(): () => Promise<void> | undefined {
  let endsAt = performance.now() + MAX_TURN_MS;
  return () => {
    if (performance.now() < endsAt) return undefined;
    return nextTurn().then(() => {
      endsAt = performance.now() + MAX_TURN_MS;
    });
  };
}
