/** Waiting for a signal, which can be given up. */
export interface AbortWait {
  /** Resolves when the signal fires. */
  readonly promise: Promise<void>;
  /** Lets go of the signal. */
  stop(): void;
}

export function whenAborted(signal: AbortSignal): AbortWait {
  let onAbort = () => {};
  const promise = new Promise<void>((resolve) => {
    onAbort = resolve;
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
  return { promise, stop: () => signal.removeEventListener('abort', onAbort) };
}

/** The same, for as long as somebody waits: fails with the reason of the signal when that fires first. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, stop } = whenAborted(signal);
  try {
    return await Promise.race([work, promise.then(() => Promise.reject(signal.reason))]);
  } finally {
    stop();
  }
}
