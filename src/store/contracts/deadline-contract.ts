/** Start deadlines of queued tasks. */
export interface Deadlines {
  /**
   * Fails tasks whose first attempt has not begun by its deadline, with `NOT_STARTED`: at most `limit`, earliest deadline
   * first. Returns how many. A task past its deadline can no longer be claimed, whether or not this has ended it yet, so
   * either the claim or the deadline wins, never both. A task that has begun once has no deadline.
   */
  expire(limit: number): Promise<number>;
}
