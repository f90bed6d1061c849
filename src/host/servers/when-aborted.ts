/** A wait for an abort signal, which can be stopped. */
export interface AbortWait {
  /** Resolves when the signal fires. */
  readonly promise: Promise<void>;
  /** Stops listening to the signal. */
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

/** Returns the result of the work, or rejects with the signal's reason when the signal fires first. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, stop } = whenAborted(signal);
  try {
    return await Promise.race([work, promise.then(() => Promise.reject(signal.reason))]);
  } finally {
    stop();
  }
}
