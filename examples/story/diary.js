// @ts-check
/**
 * A log of what the tools of the story really did, one line per action, so that the story can check that nothing was done
 * twice.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** @typedef {{ tool: string, deed: string, attempt: number }} Entry */

/** @param {string} folder */
export function openDiary(folder) {
  const path = join(folder, 'diary.jsonl');
  return {
    /** @param {Entry} entry */
    write: (entry) => appendFileSync(path, `${JSON.stringify(entry)}\n`),

    /** @returns {Entry[]} */
    read() {
      if (!existsSync(path)) return [];
      return readFileSync(path, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
    },
  };
}
