import { onCrashPoint } from '../crash-point.ts';

/** When and how the process ends at a crash point. */
export interface CrashOptions {
  /** The pass of the point that counts, from 1. @default 1 */
  readonly hit?: number;
  /** `SIGKILL` ends the process; `SIGSTOP` pauses it until it gets `SIGCONT`. @default 'SIGKILL' */
  readonly signal?: 'SIGKILL' | 'SIGSTOP';
}

/**
 * Makes this process kill or pause itself at a named point, once. Returns a function that disarms the point.
 *
 * Only one point can be armed at a time, and arming one stops recording.
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

/** Records the names of the crash points this process passes, so that a test can check that it covers them all. */
export function recordCrashPoints(): CrashPointRecording {
  const names = new Set<string>();
  onCrashPoint((name) => names.add(name));
  return { names, stop: () => onCrashPoint(undefined) };
}
