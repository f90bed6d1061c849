/**
 * The heartbeat thread and all that it loads, as one text, for programs that a bundler has made one file of.
 *
 * Put in by `scripts/build.mjs`: sources have none, and their threads are files.
 */
export const THREAD_SOURCE: string = '';
