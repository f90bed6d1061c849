import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Writes a small file beside a database and returns the error code, if there is one.
 *
 * SQLite reports every failed write as an I/O error, whether the disk is broken, full or was remounted read-only.
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
    // If the file cannot be removed, it could not be created either.
  }
}
