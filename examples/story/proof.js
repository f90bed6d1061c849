// @ts-check
/** What must hold for the story to be true. It does not trust the screen: it reads the store, the inbox and the diary. */
import { isGone } from './process-life.js';

/**
 * @typedef {object} Ending
 * @property {import('holdfast').Task} task
 * @property {number} ends how many `ended` events its history has
 * @property {number} delivered how often its outcome arrived
 */

/** The expected outcome and attempt of each tool. @type {Record<string, { outcome: string, attempt: number }>} */
const EXPECTED = {
  // Several tasks were running in the worker that died: none is known to be the cause, so none is charged an attempt.
  render_report: { outcome: 'result', attempt: 1 },
  index_files: { outcome: 'result', attempt: 1 },
  // Its question was open when the worker died, and waiting is not charged as an attempt either.
  crawl_site: { outcome: 'result', attempt: 1 },
  send_invoices: { outcome: 'result', attempt: 1 },
  transfer_money: { outcome: 'interrupted', attempt: 1 },
};

/**
 * Reads the outcome of every task.
 *
 * @type {(stage: import('./stage.js').Stage, taskIds: readonly string[]) => Promise<Ending[]>}
 */
export async function readEndings({ engine, store, inbox }, taskIds) {
  const arrived = inbox.read();
  const endings = [];
  for (const taskId of taskIds) {
    const task = await engine.get(taskId);
    const events = await store.tasks.events(taskId, 0, 1000);
    const ends = events.filter((event) => event.type === 'ended').length;
    const delivered = arrived.filter((message) => message.taskId === taskId && message.outcome === task.outcome?.kind);
    endings.push({ task, ends, delivered: delivered.length });
  }
  return endings;
}

/**
 * Lists what did not hold; an empty list means that the story is true.
 *
 * @param {readonly Ending[]} endings
 * @param {{ diary: readonly import('./diary.js').Entry[], pagesBefore: readonly string[], pids: readonly number[] }} facts
 * @returns {string[]}
 */
export function findFlaws(endings, { diary, pagesBefore, pids }) {
  return [...endings.flatMap(findTaskFlaws), ...findRepeats(diary, pagesBefore), ...findSurvivors(pids)];
}

/** @type {(ending: Ending) => string[]} */
function findTaskFlaws({ task, ends, delivered }) {
  const { tool, attempt, outcome } = task;
  const expected = EXPECTED[tool];
  const flaws = [];
  if (outcome?.kind !== expected?.outcome) flaws.push(`${tool} ended as ${outcome?.kind}, not as ${expected?.outcome}`);
  if (attempt !== expected?.attempt) flaws.push(`${tool} took ${attempt} attempts, not ${expected?.attempt}`);
  if (ends !== 1) flaws.push(`${tool} ended ${ends} times`);
  if (delivered !== 1) flaws.push(`the outcome of ${tool} arrived ${delivered} times`);
  return flaws;
}

/** @type {(diary: readonly import('./diary.js').Entry[], pagesBefore: readonly string[]) => string[]} */
function findRepeats(diary, pagesBefore) {
  if (pagesBefore.length === 0) return ['no page was finished before the kill'];
  const once = diary.filter(({ tool, deed }) => tool !== 'render_report' || pagesBefore.includes(deed));
  /** @type {Map<string, number>} */
  const counts = new Map(pagesBefore.map((page) => [page, 0]));
  for (const { deed } of once) counts.set(deed, (counts.get(deed) ?? 0) + 1);
  return [...counts].filter(([, count]) => count !== 1).map(([deed, count]) => `${deed} was done ${count} times`);
}

/** @type {(pids: readonly number[]) => string[]} */
function findSurvivors(pids) {
  return pids.filter((pid) => !isGone(pid)).map((pid) => `process ${pid} is still there`);
}
