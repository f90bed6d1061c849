/**
 * Named places where a test can end the process.
 *
 * They do nothing in production. A test program arms one by name through `holdfast/testing`; no environment variable or
 * option can arm one by accident.
 */

type CrashHandler = (name: string) => void;

let armed: CrashHandler | undefined;

/** Does nothing unless a test armed this point. */
export function crashPoint(name: string): void {
  armed?.(name);
}

/** Installs the handler that runs at every crash point, or removes it with `undefined`. For tests. */
export function onCrashPoint(handler: CrashHandler | undefined): void {
  armed = handler;
}
