/**
 * What ids look like. They come out of a file that other programs write too, and out of Codex's output; what does not
 * look like one is none, so that nothing else gets onto a command line or among the fields of an object.
 */

const THREAD = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const WINDOW = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/;

/** A thread of Codex: a UUID. */
export function isThreadId(value: unknown): value is string {
  return typeof value === 'string' && THREAD.test(value);
}

/** A window, whoever made it. */
export function isWindowId(value: unknown): value is string {
  return typeof value === 'string' && WINDOW.test(value);
}
