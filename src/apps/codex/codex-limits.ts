/**
 * The longest path that a call may name: what Linux takes. A longer one names nothing, and would be repeated whole in the
 * error that says so.
 */
export const MAX_PATH_LENGTH = 4096;

/** How many state files of Codex a process keeps in memory: each principal has one, of up to 10 MB. */
export const MAX_OPEN_STATES = 32;

/** The longest state file of Codex that is read; ours stay below 20 MB, and whoever plants a longer one fills memory. */
export const MAX_STATE_BYTES = 64 * 1024 * 1024;
