/**
 * Keeps a process from ending while one of its threads is inside native code.
 *
 * `process.exit` stops threads wherever they are, and one that is stopped while it loads or calls a native driver aborts the
 * whole process. So the thread says when it is inside, and the end of the process waits for it to come out.
 */

/** What the two share: whether the thread is inside, and whether the process is about to end. */
const INSIDE = 0;
const LEAVING = 1;

/** A thread that does not come out by then hangs in the kernel; nothing is lost by ending without it. */
const MAX_WAIT_MS = 5000;

export function makeNativeTurn(): SharedArrayBuffer {
  return new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT);
}

/** For the thread: runs native code, unless the process is about to end. */
export function takeTurn<T>(turn: Int32Array, work: () => T): T | undefined {
  enterNative(turn);
  try {
    // Looked at from inside: whoever ends the process has seen that by now, or is seen here.
    return Atomics.load(turn, LEAVING) === 1 ? undefined : work();
  } finally {
    leaveNative(turn);
  }
}

export function enterNative(turn: Int32Array): void {
  Atomics.store(turn, INSIDE, 1);
}

export function leaveNative(turn: Int32Array): void {
  Atomics.store(turn, INSIDE, 0);
  Atomics.notify(turn, INSIDE);
}

const guarded = new Set<Int32Array>();

/** For the main thread: the process ends only when this thread is outside, and it stays there; until called off. */
export function guardExit(turn: Int32Array): () => void {
  if (guarded.size === 0) process.on('exit', waitForAll);
  guarded.add(turn);
  return () => {
    if (guarded.delete(turn) && guarded.size === 0) process.off('exit', waitForAll);
  };
}

function waitForAll(): void {
  for (const turn of guarded) Atomics.store(turn, LEAVING, 1);
  for (const turn of guarded) Atomics.wait(turn, INSIDE, 1, MAX_WAIT_MS);
}
