import { readFileSync } from 'node:fs';

/**
 * The lines of a file that another process appends to; none while it is not there. What has no line break yet is left
 * out: the file exists before its first byte is written.
 */
export function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n').slice(0, -1);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
