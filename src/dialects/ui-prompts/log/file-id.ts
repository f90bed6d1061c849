import { stat } from 'node:fs/promises';

/** Returns the id of the file at a path; undefined when there is none. A file that replaces it has another id. */
export async function readFileId(path: string): Promise<string | undefined> {
  try {
    const { dev, ino } = await stat(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}
