/**
 * Limits for what a client may add to the config of the monitor, which is read and applied again for every file of a sync.
 *
 * A character of a path costs one step for every 32 characters of a glob. So 10,000 characters of globs and a path of 4096 bytes,
 * the longest possible, take about 1.3 million steps: a few hundredths of a second for the worst file.
 */
export const MONITOR_LIMITS = {
  /** Entries of one list, and directories with a priority: all of them are checked in every directory. */
  maxEntries: 1000,
  /** No file system accepts a longer path. */
  maxPathChars: 4096,
  /** No file system accepts a longer name. */
  maxNameChars: 255,
  /** A pattern for a whole path; real ones have a few dozen characters. */
  maxGlobChars: 1000,
  /** All globs of one list together. */
  maxGlobListChars: 10_000,
} as const;
