import { readFileSync } from 'node:fs';

/**
 * The lines of a file that another process appends to; none if the file does not exist. A last line without a line break is
 * left out: it may be incomplete.
 */
export function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n').slice(0, -1);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
