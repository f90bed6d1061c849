import { onCrashPoint } from '../crash-point.ts';

/** When and how the process ends at a crash point. */
export interface CrashOptions {
  /** Which pass of the point counts, from 1. @default 1 */
  readonly hit?: number;
  /** `SIGKILL` ends the process; `SIGSTOP` pauses it until somebody sends `SIGCONT`. @default 'SIGKILL' */
  readonly signal?: 'SIGKILL' | 'SIGSTOP';
}

/**
 * Makes this process kill or pause itself at a named point, once. Returns the way to call it off.
 *
 * One point is armed at a time, and recording ends when one is armed.
 */
export function armCrashPoint(name: string, options: CrashOptions = {}): () => void {
  const { hit = 1, signal = 'SIGKILL' } = options;
  let passes = 0;
  onCrashPoint((passed) => {
    if (passed !== name) return;
    passes += 1;
    if (passes === hit) process.kill(process.pid, signal);
  });
  return () => onCrashPoint(undefined);
}

/** Which crash points a program has passed. */
export interface CrashPointRecording {
  /** The points passed so far, each once, in the order they were first passed. */
  readonly names: ReadonlySet<string>;
  stop(): void;
}

/** Collects the names of the points this process passes, so that a test can tell that it covers them all. */
export function recordCrashPoints(): CrashPointRecording {
  const names = new Set<string>();
  onCrashPoint((name) => names.add(name));
  return { names, stop: () => onCrashPoint(undefined) };
}
