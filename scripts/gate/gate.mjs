// @ts-check
/**
 * Runs checks, counts them, and ends with `N passed, N failed`: each test counts, and each other check counts as one.
 *
 * Every check runs even if an earlier one failed, unless it needs a build that does not exist.
 */
import { availableParallelism } from 'node:os';
import { runVitest } from './vitest.mjs';

/** @typedef {import('./steps.mjs').Step} Step */

const SHOWN_SLOWEST = 10;

export function createGate() {
  const tally = { passed: 0, failed: 0 };
  /** @type {string[]} */
  const failures = [];
  /** @type {readonly string[]} */
  let slowest = [];
  /** @type {readonly string[]} */
  let unsteady = [];

  /** @param {string} title */
  const fail = (title) => {
    tally.failed += 1;
    failures.push(title);
  };

  /** Runs one check, with its output shown as it comes. @param {Step} step */
  const check = async ({ title, run }) => {
    const code = await timed(title, () => run());
    if (code === 0) tally.passed += 1;
    else fail(title);
    return code === 0;
  };

  /**
   * Runs checks in parallel, as many as there are cores. The output of each is shown in one piece.
   *
   * @param {readonly Step[]} steps
   * @param {{ built: boolean }} options
   */
  const checkBeside = async (steps, { built }) => {
    const waiting = steps.filter((step) => built || !step.needsBuild);
    for (const { title } of steps.filter((step) => !built && step.needsBuild)) skip(title);
    const order = waiting.map(({ title }) => title);
    /** @type {string[]} */
    const failed = [];
    const next = async () => {
      for (let step = waiting.shift(); step; step = waiting.shift()) {
        if ((await checkQuietly(step)) === 0) tally.passed += 1;
        else failed.push(step.title);
      }
    };
    await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, next));
    // Reported in the order in which they are listed, not in the order in which they failed.
    for (const title of order.filter((name) => failed.includes(name))) fail(title);
  };

  /** @param {{ args: readonly string[], mode?: import('./vitest.mjs').Mode, built?: boolean, title?: string }} options */
  const test = async ({ args, mode = 'test', built = true, title = 'tests (vitest)' }) => {
    if (!built) return skip(title);
    const ran = await timed(title, () => runVitest(args, { mode }));
    tally.passed += ran.passed;
    tally.failed += ran.failed;
    slowest = ran.slowest;
    unsteady = ran.unsteady;
    if (ran.code !== 0) failures.push(title, ...ran.failures);
    if (ran.skipped > 0) console.log(`${ran.skipped} tests were skipped.`);
  };

  const close = () => {
    console.log();
    if (slowest.length > 0) console.log('The slowest test files; all of them are in .cache/test-times.txt:');
    for (const line of slowest.slice(0, SHOWN_SLOWEST)) console.log(line);
    for (const title of unsteady) console.log(`UNSTEADY, passed alone: ${title}`);
    for (const title of failures) console.log(`FAILED: ${title}`);
    console.log(`${tally.passed} passed, ${tally.failed} failed`);
    process.exitCode = failures.length === 0 ? 0 : 1;
  };

  return { check, checkBeside, test, fail, close };
}

/** @param {Step} step */
async function checkQuietly({ title, run }) {
  const start = performance.now();
  /** @type {Buffer[]} */
  const output = [];
  const code = await run((part) => output.push(part));
  const text = Buffer.concat(output).toString().trimEnd();
  console.log(`\n── ${title}${text === '' ? '' : `\n${text}`}\n── ${title}: ${toSeconds(start)}`);
  return code;
}

/**
 * @template T
 * @param {string} title
 * @param {() => Promise<T>} work
 */
async function timed(title, work) {
  console.log(`\n── ${title}`);
  const start = performance.now();
  const result = await work();
  console.log(`── ${title}: ${toSeconds(start)}`);
  return result;
}

/** @param {number} start */
function toSeconds(start) {
  return `${((performance.now() - start) / 1000).toFixed(1)} s`;
}

/** @param {string} title */
function skip(title) {
  console.log(`\n── ${title}: not run, there is no build`);
}
