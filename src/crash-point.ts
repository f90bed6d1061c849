/**
 * Named places where a test can end the process.
 *
 * Production code passes through them and nothing happens. A test program arms one by name through
 * `holdfast/testing`; there is no environment variable or option that could arm one by accident.
 */

type CrashHandler = (name: string) => void;

let armed: CrashHandler | undefined;

/** Does nothing unless a test armed this point. */
export function crashPoint(name: string): void {
  armed?.(name);
}

/** Installs (or with `undefined` removes) what happens at every crash point. For tests. */
export function onCrashPoint(handler: CrashHandler | undefined): void {
  armed = handler;
}
