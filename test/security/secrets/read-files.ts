import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** All bytes of all files in a directory and below, as an attacker with a copy of the disk has them. */
export function readFiles(folder: string, match = /./): string {
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .map((path) => {
      const stats = statSync(path);
      if (stats.isDirectory()) return readFiles(path, match);
      // Sockets hold nothing.
      return stats.isFile() && match.test(path) ? readFileSync(path, 'latin1') : '';
    })
    .join('\n');
}
