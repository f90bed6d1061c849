/**
 * Formats of ids. Ids come from a file that other programs also write, and from Codex's output. Anything in another format is
 * rejected, so that nothing else gets onto a command line or into the keys of an object.
 */

const THREAD = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const WINDOW = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/;

/** A Codex thread id: a UUID. */
export function isThreadId(value: unknown): value is string {
  return typeof value === 'string' && THREAD.test(value);
}

/** A window id, created by any program. */
export function isWindowId(value: unknown): value is string {
  return typeof value === 'string' && WINDOW.test(value);
}
