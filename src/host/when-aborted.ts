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
