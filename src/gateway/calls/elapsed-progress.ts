import type { ServerTaskContext } from '../../index.ts';

/** Often enough for clients that give up after a minute without a sign. */
const EVERY_MS = 5000;
/** What is late is not done. */
const MOST = 0.95;

/** What can be said of work that says nothing itself: how long it has run, against how long such work took before. */
export function toElapsedProgress(
  elapsedMs: number,
  estimateMs: number | undefined,
): { value: number; message: string } {
  const seconds = Math.round(elapsedMs / 1000);
  if (estimateMs === undefined || estimateMs <= 0) return { value: 0, message: `Running for ${seconds} s` };
  const value = Math.min(MOST, elapsedMs / estimateMs);
  const usual = Math.max(1, Math.round(estimateMs / 1000));
  return { value, message: `Running for ${seconds} s of about ${usual} s` };
}

/** Tells of a task's time while its upstream says nothing, as almost none does. */
export class ElapsedProgress {
  readonly #timer: NodeJS.Timeout;

  constructor(task: ServerTaskContext) {
    const startedAt = performance.now();
    this.#timer = setInterval(() => {
      const { value, message } = toElapsedProgress(performance.now() - startedAt, task.estimateMs);
      void task.progress(value, message);
    }, EVERY_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
