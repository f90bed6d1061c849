/**
 * The heartbeat thread and everything it loads, as one text, which loads faster than its files and is in every bundle.
 *
 * Put in by `scripts/build.mjs`: in source it is empty, and threads run from files.
 */
export const THREAD_SOURCE: string = '';
