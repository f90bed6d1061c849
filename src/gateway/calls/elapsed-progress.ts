import type { ServerTaskContext } from '../../index.ts';

/** Often enough for clients that time out after a minute without progress. */
const EVERY_MS = 5000;
/** The maximum of estimated progress: work that exceeds its estimate is late, not finished. */
const MOST = 0.95;

/** Progress for work that reports none itself: the time it has run, against the time that earlier calls took. */
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

/** Reports a task's elapsed time as progress until its upstream reports some, which almost none does. */
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
