import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * What the file system says to a small write beside a database, as the code of its error.
 *
 * SQLite calls every failed write an I/O error, whether the disk is broken, full or was switched to reading only.
 */
export function probeDisk(path: string): string | undefined {
  const probe = join(dirname(path), `.probe-${process.pid}-${performance.now()}`);
  try {
    const file = openSync(probe, 'wx', 0o600);
    try {
      writeSync(file, 'x');
    } finally {
      closeSync(file);
    }
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  } finally {
    removeQuietly(probe);
  }
}

function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // Where nothing can be removed, nothing could be made.
  }
}
