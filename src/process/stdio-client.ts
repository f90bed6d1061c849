import { fstatSync, writeSync } from 'node:fs';

const STDOUT = 1;

/**
 * Remembers the parent process; returns a function that checks whether the client that started this process has died.
 *
 * A client that exits in an orderly way closes stdin, keeps its end of stdout open and waits. A killed client closes both, and
 * this process gets another parent. Behind a wrapper that survives, only a socket shows it; on Windows nothing does.
 */
export function watchStdioClient(): () => boolean {
  const parent = process.ppid;
  return () => process.ppid !== parent || isReaderGone(STDOUT);
}

/** Whether the other end of a socket is closed; for pipes that cannot be determined. */
function isReaderGone(fd: number): boolean {
  try {
    // Nothing is sent, but a socket whose other end is closed refuses even that.
    if (fstatSync(fd).isSocket()) writeSync(fd, new Uint8Array());
    return false;
  } catch {
    return true;
  }
}
