/** What becomes of a failure that nobody waits for, unless an `onError` was given: a warning of the process. */
export function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : new Error(String(error)));
}
