const never = new Int32Array(new SharedArrayBuffer(4));

/** Blocks the thread. Only where the wait is short, rare and cannot be handed to the event loop. */
export function pause(ms: number): void {
  Atomics.wait(never, 0, 0, ms);
}
