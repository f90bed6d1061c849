// @ts-check
/** The tools of the story. Pauses replace slow work; everything else is what a real tool would do. */
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { openDiary } from './diary.js';

/** @typedef {import('holdfast').TaskContext} TaskContext */

/** @param {string} folder */
export function createTools(folder) {
  const diary = openDiary(folder);
  /** @type {(tool: string, task: TaskContext) => (deed: string) => void} */
  const noteFor = (tool, task) => (deed) => diary.write({ tool, deed, attempt: task.attempt });
  return {
    render_report: {
      idempotent: true,
      /** @type {(args: { pages: number }, task: TaskContext) => Promise<string>} */
      run: ({ pages }, task) => renderReport(pages, task, noteFor('render_report', task)),
    },
    crawl_site: { idempotent: true, run: crawlSite },
    index_files: { idempotent: true, run: indexFiles },
    // Not marked idempotent: an invoice or a transfer must not be sent twice.
    send_invoices: {
      /** @type {(args: { count: number }, task: TaskContext) => Promise<string>} */
      run: ({ count }, task) => sendInvoices(count, task, noteFor('send_invoices', task)),
    },
    transfer_money: {
      /** @type {(args: { amount: number }, task: TaskContext) => Promise<string>} */
      run: ({ amount }, task) => transferMoney(amount, task, noteFor('transfer_money', task)),
    },
  };
}

/**
 * A finished step is never run again: the second run continues at the first page that is missing.
 *
 * @type {(pages: number, task: TaskContext, note: (deed: string) => void) => Promise<string>}
 */
async function renderReport(pages, task, note) {
  for (let page = 1; page <= pages; page++) {
    await task.step(`page ${page}`, async () => {
      await pause(230, undefined, { signal: task.signal });
      note(`page ${page}`);
      await task.progress(page / pages, `page ${page} of ${pages}`);
    });
  }
  return `${pages} pages`;
}

/**
 * The question stays open when the worker dies; the answer reaches the worker that runs the task next.
 *
 * @type {(args: { open: number, closed: number }, task: TaskContext) => Promise<string>}
 */
async function crawlSite({ open, closed }, task) {
  await task.step('open pages', () => crawl(task, open, (done) => [done / (open + closed), `${done} pages`]));
  const { include } = await task.ask({
    key: 'closed-pages',
    message: `${closed} pages ask robots to stay away. Crawl them too?`,
    schema: z.object({ include: z.boolean() }),
  });
  await task.step('links', () => crawl(task, closed, (done) => [(open + done) / (open + closed), 'checking links']));
  return include ? `${open + closed} pages` : `${open} pages, ${closed} left out`;
}

/** @type {(task: TaskContext, pages: number, toProgress: (done: number) => [number, string]) => Promise<void>} */
async function crawl(task, pages, toProgress) {
  for (let done = 1; done <= pages; done++) {
    await pause(180, undefined, { signal: task.signal });
    await task.progress(...toProgress(done));
  }
}

/**
 * Each folder is read by a child process, which never outlives its attempt.
 *
 * @type {(args: { folders: string[] }, task: TaskContext) => Promise<string>}
 */
async function indexFiles({ folders }, task) {
  const root = dirname(fileURLToPath(import.meta.resolve('holdfast')));
  const counts = [];
  for (const [index, name] of folders.entries()) {
    const report = (/** @type {number} */ done) => task.progress((index + done) / folders.length, `folder ${name}`);
    counts.push(await task.step(name, () => indexFolder(join(root, name), task, report)));
  }
  const files = counts.reduce((sum, count) => sum + count.files, 0);
  const words = counts.reduce((sum, count) => sum + count.words, 0);
  return `${files} files, ${words} words`;
}

/** @type {(folder: string, task: TaskContext, report: (done: number) => Promise<void>) => Promise<{ files: number, words: number }>} */
async function indexFolder(folder, task, report) {
  const program = fileURLToPath(new URL('./indexer.js', import.meta.url));
  const child = await task.spawn(process.execPath, [program, folder]);
  const count = { files: 0, words: 0 };
  for await (const line of createInterface({ input: child.stdout })) {
    const { words, done } = JSON.parse(line);
    count.files += 1;
    count.words += words;
    await report(done);
  }
  const { code } = await child.exit;
  if (code !== 0) throw new Error(`the indexer of ${folder} ended with code ${code}`);
  return count;
}

/** @type {(count: number, task: TaskContext, note: (deed: string) => void) => Promise<string>} */
async function sendInvoices(count, task, note) {
  for (let number = 1; number <= count; number++) {
    await pause(200, undefined, { signal: task.signal });
    note(`invoice ${number}`);
    await task.progress(number / count, `invoice ${number} of ${count}`);
  }
  return `${count} invoices sent`;
}

/** @type {(amount: number, task: TaskContext, note: (deed: string) => void) => Promise<string>} */
async function transferMoney(amount, task, note) {
  note(`transfer of ${amount}`);
  await task.progress(0.3, 'waiting for the bank');
  await pause(60_000, undefined, { signal: task.signal });
  return `${amount} transferred`;
}
