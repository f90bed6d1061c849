// @ts-check
/**
 * The receiver of the story's messages: a folder with one file for each message that arrived.
 *
 * The outbox delivers at least once, with the same id every time. The file is named by that id and appears atomically, so a
 * message that is delivered twice is stored once.
 */
import { linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @param {string} folder
 * @param {{ create: boolean }} options
 */
export function openInbox(folder, { create }) {
  const inbox = join(folder, 'inbox');
  if (create) mkdirSync(inbox);
  return {
    /** @param {import('holdfast').OutboxMessage} message */
    receive({ messageId, task }) {
      const draft = join(folder, `draft-${messageId}-${process.pid}`);
      writeFileSync(draft, JSON.stringify({ taskId: task.taskId, outcome: task.outcome?.kind }));
      try {
        linkSync(draft, join(inbox, messageId));
      } catch (error) {
        if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
      } finally {
        rmSync(draft);
      }
    },

    /**
     * Reads every message that arrived.
     *
     * @returns {{ taskId: string, outcome: string }[]}
     */
    read: () => readdirSync(inbox).map((name) => JSON.parse(readFileSync(join(inbox, name), 'utf8'))),
  };
}
