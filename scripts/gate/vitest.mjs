// @ts-check
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, relative } from 'node:path';
import { inRoot } from '../root.mjs';
import { bin, run } from '../run.mjs';

const REPORT = inRoot('.cache', 'vitest.json');
const TIMES = inRoot('.cache', 'test-times.txt');

// If more files than this fail, it is not by chance, and none is repeated.
const MAX_REPEATED = 5;

/**
 * Runs the tests, counts them, and writes to `.cache/test-times.txt` how long each file took.
 *
 * A whole run repeats the files that failed, if they are few, once and without parallel files. A test that passes then counts
 * as passed but is reported: somebody has to find out whether the test or the product is at fault.
 *
 * @param {readonly string[]} args passed to vitest; a run without any is a whole run
 * @param {{ mode?: Mode }} [options] which tests to run
 * @returns {Promise<Counts & { code: number, unsteady: readonly string[] }>}
 */
export async function runVitest(args, { mode = 'test' } = {}) {
  const first = await runOnce(['--mode', mode, ...args]);
  await writeFile(TIMES, first.slowest.map((line) => `${line}\n`).join(''));
  const { broken } = first;
  if (args.length > 0 || broken.length === 0 || broken.length > MAX_REPEATED) return { ...toSeen(first), unsteady: [] };
  const files = broken.map(toPath);
  console.log(`\nFailed beside the others, and now once more alone: ${files.join(', ')}`);
  const again = await runOnce(['--mode', mode, '--no-file-parallelism', ...files]);
  const before = countTests(broken);
  const isBroken = (/** @type {string} */ failure) =>
    again.broken.some((file) => failure.startsWith(`${toPath(file)}: `));
  const merged = {
    ...again,
    passed: first.passed - before.passed + again.passed,
    failed: first.failed - before.failed + again.failed,
    skipped: first.skipped - before.skipped + again.skipped,
    slowest: first.slowest,
  };
  return { ...toSeen(merged), unsteady: first.failures.filter((failure) => !isBroken(failure)) };
}

/**
 * @param {readonly string[]} args
 * @returns {Promise<Counts & { code: number, broken: readonly TestFile[] }>}
 */
async function runOnce(args) {
  await mkdir(dirname(REPORT), { recursive: true });
  await rm(REPORT, { force: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${REPORT}`];
  const code = await run(bin('vitest'), ['run', ...reporters, ...args]);
  return { ...(await readReport()), code };
}

/**
 * A file that cannot be loaded, or an error outside a test, fails the run without a failed test: it counts as one.
 *
 * @template {{ code: number, failed: number }} T
 * @param {T} ran
 */
function toSeen(ran) {
  return ran.code !== 0 && ran.failed === 0 ? { ...ran, failed: 1 } : ran;
}

/** @returns {Promise<Counts & { broken: readonly TestFile[] }>} */
async function readReport() {
  const text = await readFile(REPORT, 'utf8').catch(() => '{}');
  const report = JSON.parse(text);
  const { numPassedTests = 0, numFailedTests = 0, numPendingTests = 0, numTodoTests = 0, testResults = [] } = report;
  return {
    slowest: toTimes(testResults),
    passed: numPassedTests,
    failed: numFailedTests,
    skipped: numPendingTests + numTodoTests,
    failures: testResults.flatMap(listFailures),
    broken: testResults.filter((/** @type {TestFile} */ { status }) => status === 'failed'),
  };
}

/** @param {readonly TestFile[]} files */
function countTests(files) {
  const tests = files.flatMap(({ assertionResults }) => assertionResults);
  const passed = tests.filter(({ status }) => status === 'passed').length;
  const failed = tests.filter(({ status }) => status === 'failed').length;
  return { passed, failed, skipped: tests.length - passed - failed };
}

/**
 * Seconds and tests of each file, the slowest first.
 *
 * @param {readonly TestFile[]} files
 */
function toTimes(files) {
  const times = files.map(({ name, startTime, endTime, assertionResults: { length } }) => ({
    seconds: (endTime - startTime) / 1000,
    what: `${toPath({ name })} (${length} ${length === 1 ? 'test' : 'tests'})`,
  }));
  times.sort((one, other) => other.seconds - one.seconds);
  return times.map(({ seconds, what }) => `${seconds.toFixed(1).padStart(7)} s  ${what}`);
}

/**
 * The failures of one file, each with the first line of its message.
 *
 * @param {TestFile} file
 */
function listFailures({ name, status, message = '', assertionResults }) {
  const path = toPath({ name });
  const failed = assertionResults.filter((test) => test.status === 'failed');
  if (failed.length === 0 && status === 'failed') return [`${path}: ${toFirstLine(message)}`];
  return failed.map(
    ({ fullName, failureMessages }) => `${path}: ${fullName}: ${toFirstLine(failureMessages[0] ?? '')}`,
  );
}

/** @param {{ name: string }} file */
function toPath({ name }) {
  return relative(inRoot(), name);
}

/** @param {string} text */
function toFirstLine(text) {
  return text.split('\n', 1)[0] ?? '';
}

/** @typedef {'test' | 'real' | 'pure'} Mode */
/** @typedef {{ passed: number, failed: number, skipped: number, failures: readonly string[], slowest: readonly string[] }} Counts */
/** @typedef {{ name: string, status: string, message?: string, startTime: number, endTime: number, assertionResults: readonly Assertion[] }} TestFile */
/** @typedef {{ status: string, fullName: string, failureMessages: readonly string[] }} Assertion */
