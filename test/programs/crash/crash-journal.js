// @ts-check
/**
 * What the programs of the crash tests leave behind for the judge: one line per fact, each in a single write, so
 * that a kill loses none of them.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** @param {string} dir */
export function openJournal(dir) {
  mkdirSync(dir, { recursive: true });
  const path = join(dir, 'journal.txt');
  const bells = join(dir, 'bells.txt');
  return {
    /** @param {...(string | number)} words */
    note: (...words) => appendFileSync(path, `${words.join(' ')}\n`),

    /**
     * True the first time a name is used in this directory, by any process.
     *
     * @param {string} name
     */
    first(name) {
      try {
        writeFileSync(join(dir, `first-${name}`), '', { flag: 'wx' });
        return true;
      } catch {
        return false;
      }
    },

    /**
     * A receiver that shows every message once, however often it is delivered.
     *
     * @param {{ messageId: string, task: { taskId: string, status: string } }} message
     */
    ring({ messageId, task }) {
      const shown = existsSync(bells) ? readFileSync(bells, 'utf8') : '';
      if (!shown.includes(messageId)) appendFileSync(bells, `${messageId} ${task.taskId} ${task.status}\n`);
    },
  };
}
