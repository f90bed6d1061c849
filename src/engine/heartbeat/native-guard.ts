/**
 * Keeps a process from exiting while one of its threads is inside native code.
 *
 * `process.exit` stops threads at any point, and a thread stopped while it loads or calls a native driver aborts the
 * whole process. So the thread marks when it is inside, and the exit of the process waits until it is outside.
 */

/** Indexes of the flags that both threads share: whether the thread is inside, and whether the process is about to exit. */
const INSIDE = 0;
const LEAVING = 1;

/** A thread that is not outside by then hangs in the kernel; nothing is lost by exiting without it. */
const MAX_WAIT_MS = 5000;

export function createNativeFlags(): SharedArrayBuffer {
  return new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT);
}

/** Called in the thread: runs native code, unless the process is about to exit. */
export function runNative<T>(flags: Int32Array, work: () => T): T | undefined {
  enterNative(flags);
  try {
    // Checked after entering: either the exiting thread has seen this one inside, or its flag is seen here.
    return Atomics.load(flags, LEAVING) === 1 ? undefined : work();
  } finally {
    leaveNative(flags);
  }
}

export function enterNative(flags: Int32Array): void {
  Atomics.store(flags, INSIDE, 1);
}

export function leaveNative(flags: Int32Array): void {
  Atomics.store(flags, INSIDE, 0);
  Atomics.notify(flags, INSIDE);
}

const watchedFlags = new Set<Int32Array>();

/**
 * Called in the main thread: the process exits only when this thread is outside, and stays there. Returns a function that
 * undoes it.
 */
export function delayExitWhileNative(flags: Int32Array): () => void {
  if (watchedFlags.size === 0) process.on('exit', waitForAll);
  watchedFlags.add(flags);
  return () => {
    if (watchedFlags.delete(flags) && watchedFlags.size === 0) process.off('exit', waitForAll);
  };
}

function waitForAll(): void {
  for (const flags of watchedFlags) Atomics.store(flags, LEAVING, 1);
  for (const flags of watchedFlags) Atomics.wait(flags, INSIDE, 1, MAX_WAIT_MS);
}
