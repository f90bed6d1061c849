// @ts-check
/**
 * The gate: `npm test` runs every check, `npm test -- <args>` builds and hands the arguments to vitest.
 *
 * Every check runs even when an earlier one failed, unless it looks at a build that does not exist. The last line
 * is always `N passed, N failed`: the tests, and one for each other check.
 */
import { install } from './install.mjs';
import { requireNode } from './node-floor.mjs';
import { buildStep, checksAfterTests, checksBeforeTests } from './steps.mjs';
import { runVitest } from './vitest.mjs';

const tally = { passed: 0, failed: 0 };
/** @type {string[]} */
const failures = [];
let built = false;

requireNode();
const vitestArgs = process.argv.slice(2);
try {
  await install();
  built = await check(buildStep);
  if (vitestArgs.length > 0) await runSome();
  else await runAll();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  fail('set-up');
}
close();

async function runAll() {
  for (const step of checksBeforeTests) await check(step);
  await test();
  for (const step of checksAfterTests) await check(step);
}

async function runSome() {
  console.log(`\nOnly vitest ${vitestArgs.join(' ')}: the other checks of the gate are left out.`);
  await test();
}

/** @param {import('./steps.mjs').Step} step */
async function check({ title, run, needsBuild = false }) {
  if (needsBuild && !built) return skip(title);
  const code = await timed(title, run);
  if (code === 0) tally.passed += 1;
  else fail(title);
  return code === 0;
}

async function test() {
  const title = 'tests (vitest)';
  if (!built) return skip(title);
  const { code, passed, failed, skipped, failures: failedTests } = await timed(title, () => runVitest(vitestArgs));
  tally.passed += passed;
  tally.failed += failed;
  if (code !== 0) failures.push(title, ...failedTests);
  if (skipped > 0) console.log(`${skipped} tests were skipped.`);
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
  console.log(`── ${title}: ${((performance.now() - start) / 1000).toFixed(1)} s`);
  return result;
}

/** @param {string} title */
function fail(title) {
  tally.failed += 1;
  failures.push(title);
}

/** @param {string} title */
function skip(title) {
  console.log(`\n── ${title}: not run, there is no build`);
  return false;
}

function close() {
  console.log();
  for (const title of failures) console.log(`FAILED: ${title}`);
  console.log(`${tally.passed} passed, ${tally.failed} failed`);
  process.exitCode = failures.length === 0 ? 0 : 1;
}
