/** Log lines for the operator, all written here, so that foreign text cannot inject terminal control codes. */
import { writeSync } from 'node:fs';
import { toPlainText } from './text/plain-text.ts';

/** Writes a warning, as one line. */
export function warn(text: string): void {
  write(`holdfast: ${toPlainText(text)}\n`);
}

/** Like `warn`, from a thread: writes directly, because the main thread may be blocked. */
export function warnAtOnce(text: string): void {
  writeAtOnce(`holdfast: ${toPlainText(text)}\n`);
}

// A store that is locked or gone fails every caller, several times a second.
const SAME_AGAIN_MS = 60_000;
let last: { readonly text: string; readonly at: number } | undefined;

/** Reports a failure that has no caller; a repeated one is reported once a minute. */
export function reportToStderr(error: unknown): void {
  const text = error instanceof Error ? error.message : String(error);
  const at = performance.now();
  if (last?.text === text && at - last.at < SAME_AGAIN_MS) return;
  last = { text, at };
  warn(text);
}

/**
 * Keeps a process alive when its output cannot be written: on a full disk its log would crash it, and lose results that
 * only wait for the disk.
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
  // A failed stream accepts no more writes, but the file may have space again.
  if (stderr.destroyed) writeAtOnce(line);
  else stderr.write(line);
}

function writeAtOnce(line: string): void {
  try {
    writeSync(2, line);
  } catch {
    // A full or closed stderr must stop no thread, least of all the one that renews the leases.
  }
}
