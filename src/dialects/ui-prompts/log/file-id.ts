import { stat } from 'node:fs/promises';

/** Which file lies at a path now; nothing when there is none. A file that took its place has another id. */
export async function readFileId(path: string): Promise<string | undefined> {
  try {
    const { dev, ino } = await stat(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}
