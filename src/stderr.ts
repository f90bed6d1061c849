/** Lines for the operator: one way to write them, in which nobody else's words can steer a terminal. */
import { writeSync } from 'node:fs';
import { toPlainText } from './text/plain-text.ts';

/** Says something that no program waits for. */
export function warn(text: string): void {
  write(`holdfast: ${toPlainText(text)}\n`);
}

/** The same from a thread, past the main one, which may be blocked. */
export function warnAtOnce(text: string): void {
  writeAtOnce(`holdfast: ${toPlainText(text)}\n`);
}

// A store that is locked or gone fails everybody who tries, several times a second.
const SAME_AGAIN_MS = 60_000;
let last: { readonly text: string; readonly at: number } | undefined;

/** Tells of a failure that nobody waits for; the same one in a row is told once a minute. */
export function reportToStderr(error: unknown): void {
  const text = error instanceof Error ? error.message : String(error);
  const at = performance.now();
  if (last?.text === text && at - last.at < SAME_AGAIN_MS) return;
  last = { text, at };
  warn(text);
}

/**
 * Lets a process live on whose output cannot be written: on a disk that is full, its log would end it, together with
 * results that only wait for the disk.
 */
export function tolerateLostOutput(...streams: readonly NodeJS.WriteStream[]): void {
  for (const stream of streams) {
    if (!tolerant.has(stream)) stream.on('error', () => {});
    tolerant.add(stream);
  }
}

const tolerant = new WeakSet<NodeJS.WriteStream>();

function write(line: string): void {
  const { stderr } = process;
  tolerateLostOutput(stderr);
  // After one failure the stream takes nothing any more, but the file may have room again.
  if (stderr.destroyed) writeAtOnce(line);
  else stderr.write(line);
}

function writeAtOnce(line: string): void {
  try {
    writeSync(2, line);
  } catch {
    // A full or closed stderr must stop nobody, least of all the thread that keeps the leases.
  }
}
