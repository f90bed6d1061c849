/** Queued tasks that must begin in time. */
export interface Deadlines {
  /**
   * Ends tasks whose first attempt has not begun in time, as failed with `NOT_STARTED`: at most `limit`, the earliest
   * deadlines first. Returns how many. From the same moment on they are not claimed any more, ended or not, so of a claim
   * and a deadline only one happens. A task that has begun once has no deadline.
   */
  expire(limit: number): Promise<number>;
}
