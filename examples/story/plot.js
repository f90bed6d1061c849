// @ts-check
/** The sequence of the story. Every step waits for a state; nothing is timed to look good. */
import { setTimeout as pause } from 'node:timers/promises';
import { isGone } from './process-life.js';
import { findFlaws, readEndings } from './proof.js';

/**
 * @typedef {object} Play
 * @property {import('./stage.js').Stage} stage
 * @property {import('./board.js').Board} board
 * @property {ReturnType<typeof import('./screen.js').createScreen>} screen
 * @property {AbortSignal} signal
 */

const CALLS = Object.entries({
  render_report: { pages: 24 },
  crawl_site: { open: 9, closed: 6 },
  index_files: { folders: ['engine', 'store', 'sqlite', 'task'] },
  send_invoices: { count: 8 },
  transfer_money: { amount: 250 },
});

/** @param {Play} play */
export async function playStory(play) {
  const { stage, board, screen } = play;
  screen.print(`\n${screen.paint('bold', ' Holdfast')}: five tasks, one kill -9, nothing lost\n`);
  await submitAll(play);
  const followed = board.follow(play.signal);
  // Awaited at the end; until then a failure must not count as unhandled.
  followed.catch(() => {});
  const first = await findWorker(play, undefined);
  screen.tell(`worker ${first.pid} started: this same program in a process of its own`);
  const killed = await killWorker(play, first);
  const second = await findWorker(play, first.pid);
  screen.tell(`worker ${second.pid} started by itself; what was done stays done`, 'green');
  await answerQuestion(play);
  await followed;
  await until(play, 'every outcome to arrive', () => stage.inbox.read().length >= CALLS.length);
  await until(play, 'the worker to leave', () => isGone(second.pid));
  screen.tell(`every outcome has arrived; worker ${second.pid} has nothing to do and ended`);
  await conclude(play, { ...killed, first: first.pid, second: second.pid });
}

/** @param {Play} play */
async function submitAll({ stage, board, screen }) {
  // Which arguments belong to which tool is only in the table above, where the compiler cannot check it.
  /** @type {import('holdfast').Engine} */
  const engine = stage.engine;
  await engine.start();
  for (const [tool, args] of CALLS) {
    const { task } = await engine.submit(tool, args, { deliver: [{ topic: 'inbox' }] });
    board.add(task);
  }
  screen.tell(`${CALLS.length} tasks submitted; each was on disk before submit returned`);
}

/** @type {(play: Play, except: number | undefined) => Promise<{ workerId: string, pid: number }>} */
function findWorker(play, except) {
  return until(play, 'a worker to start', async () => {
    for (const { workerId, state, process: ref } of await play.stage.store.workers.list()) {
      if (state === 'ready' && ref && ref.pid !== except && ref.pid !== process.pid) return { workerId, pid: ref.pid };
    }
    return undefined;
  });
}

/**
 * Kills the worker while four tasks are running.
 *
 * @type {(play: Play, worker: { workerId: string, pid: number }) => Promise<{ pagesBefore: string[], child: number }>}
 */
async function killWorker(play, { workerId, pid }) {
  const { stage, board, screen } = play;
  const child = await until(play, 'the moment to kill', async () => {
    const isTime =
      board.find('render_report').value >= 0.55 &&
      board.find('crawl_site').state === 'asking' &&
      board.find('transfer_money').value > 0 &&
      stage.inbox.read().length === 1;
    return isTime ? (await stage.store.workers.groups(workerId))[0]?.pid : undefined;
  });
  screen.tell('the invoices are out, four tasks are in the middle, and now:');
  screen.tell(`kill -9 ${pid}`, 'red');
  process.kill(pid, 'SIGKILL');
  await until(play, 'the worker to die', () => isGone(pid));
  board.stop(workerId);
  const events = await stage.store.tasks.events(board.find('render_report').taskId, 0, 1000);
  const pagesBefore = events.flatMap((event) => (event.type === 'stepped' ? [event.name] : []));
  screen.tell(`nobody works; ${pagesBefore.length} finished pages and a question lie in the store`);
  await until(play, 'the transfer to be given up', () => board.find('transfer_money').state === 'interrupted');
  screen.tell('the dead worker was noticed; its transfer may not be repeated');
  return { pagesBefore, child };
}

/** @param {Play} play */
async function answerQuestion(play) {
  const { stage, board, screen } = play;
  const { taskId } = board.find('crawl_site');
  await until(play, 'the second run to be under way', () => board.find('render_report').value >= 0.8);
  const [question] = (await stage.engine.get(taskId)).questions;
  if (question?.request.kind !== 'form') throw new Error('crawl_site has asked nothing');
  screen.tell(`crawl_site still asks: ${question.request.message}`, 'yellow');
  await stage.engine.answer(taskId, { [question.key]: { action: 'accept', content: { include: false } } });
  screen.tell('the story answers: no (waiting for it has cost no attempt)');
}

/** @type {(play: Play, facts: { pagesBefore: string[], child: number, first: number, second: number }) => Promise<void>} */
async function conclude({ stage, board, screen }, { pagesBefore, child, first, second }) {
  const endings = await readEndings(
    stage,
    board.rows.map((row) => row.taskId),
  );
  const flaws = findFlaws(endings, { diary: stage.diary.read(), pagesBefore, pids: [first, second, child] });
  screen.end();
  screen.print();
  screen.print(screen.paint('dim', toLine('task', 'attempts', ['outcome', 'delivered'])));
  for (const [index, { task, delivered }] of endings.entries()) {
    const { state, message } = board.rows[index] ?? { state: 'failed', message: '' };
    const outcome = `${task.outcome?.kind}: ${message}`;
    const line = toLine(task.tool, String(task.attempt), [outcome, delivered === 1 ? 'once' : `${delivered} times`]);
    screen.print(screen.paint(screen.toStyle(state), line));
  }
  if (flaws.length > 0) throw new Error(flaws.join('; '));
  screen.print(`
 Worker ${first} died in the middle of four tasks, and worker ${second} went on:
 ${pagesBefore.length} finished pages were not rendered again, and no money moved twice.

 Next: docs/guarantees.md says what survives what, examples/README.md has more.
`);
}

/** @type {(task: string, attempts: string, rest: readonly [outcome: string, delivered: string]) => string} */
function toLine(task, attempts, [outcome, delivered]) {
  return ` ${task.padEnd(14)}  ${attempts.padStart(8)}  ${outcome.padEnd(40)}  ${delivered}`;
}

/**
 * Waits until `check` returns a value, and throws when the story times out.
 *
 * @template T
 * @param {Play} play
 * @param {string} what
 * @param {() => T | Promise<T>} check
 * @returns {Promise<Exclude<T, undefined | false>>}
 */
async function until({ signal }, what, check) {
  for (;;) {
    const value = await check();
    if (value) return /** @type {Exclude<T, undefined | false>} */ (value);
    if (signal.aborted)
      throw signal.reason.name === 'TimeoutError' ? new Error(`it waited in vain for ${what}`) : signal.reason;
    await pause(25);
  }
}
