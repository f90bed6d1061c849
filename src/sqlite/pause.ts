const never = new Int32Array(new SharedArrayBuffer(4));

/** Blocks the thread. Use it only where the wait is short, rare and cannot be asynchronous. */
export function pause(ms: number): void {
  Atomics.wait(never, 0, 0, ms);
}
