/** The default `onError`: emits background failures as process warnings. */
export function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : new Error(String(error)));
}
