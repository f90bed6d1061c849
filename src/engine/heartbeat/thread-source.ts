/**
 * The heartbeat thread and all that it loads, as one text, which loads faster than its files and is in every bundle.
 *
 * Put in by `scripts/build.mjs`: sources have none, and their threads are files.
 */
export const THREAD_SOURCE: string = '';
