/**
 * How often a run of the official suite is tried again: some of its checks wait for half a second only, which a busy
 * machine can miss. What is wrong is wrong each time.
 */
export const RETRIES = 3;
