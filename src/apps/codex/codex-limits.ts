/**
 * The longest path that a call may name: the limit of Linux. A longer path cannot exist, and would be repeated in full in the
 * error message.
 */
export const MAX_PATH_LENGTH = 4096;

/** How many Codex state files a process keeps in memory: one per principal, up to 10 MB each. */
export const MAX_OPEN_STATES = 32;

/**
 * The largest Codex state file that is read. Ours stay below 20 MB; a larger one, planted by another program, would fill memory.
 */
export const MAX_STATE_BYTES = 64 * 1024 * 1024;
