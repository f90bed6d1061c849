import { fstatSync, writeSync } from 'node:fs';

const STDOUT = 1;

/**
 * Remembers who started this process; returns a look at whether that one has died.
 *
 * A client that ends politely closes stdin, keeps its end of stdout and waits. One that was killed closes both, and this
 * process gets another parent. Behind a wrapper that lives on only a socket tells; on Windows nothing does.
 */
export function watchStdioClient(): () => boolean {
  const parent = process.ppid;
  return () => process.ppid !== parent || isReaderGone(STDOUT);
}

/** Whether the other end of a socket is closed; of pipes that cannot be told. */
function isReaderGone(fd: number): boolean {
  try {
    // Nothing is sent, but a socket without another end refuses even that.
    if (fstatSync(fd).isSocket()) writeSync(fd, new Uint8Array());
    return false;
  } catch {
    return true;
  }
}
