// @ts-check
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, relative } from 'node:path';
import { inRoot } from './root.mjs';
import { bin, run } from './run.mjs';

const REPORT = inRoot('.cache', 'vitest.json');
const TIMES = inRoot('.cache', 'test-times.txt');

/**
 * Runs the tests, counts them, and writes to `.cache/test-times.txt` how long each file took.
 *
 * @param {readonly string[]} args passed on to vitest
 * @returns {Promise<Counts & { code: number }>}
 */
export async function runVitest(args) {
  await mkdir(dirname(REPORT), { recursive: true });
  await rm(REPORT, { force: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${REPORT}`];
  const code = await run(bin('vitest'), ['run', ...reporters, ...args]);
  const counts = await readReport();
  // A file that cannot be loaded or an error outside every test fails the run without failing a test.
  const unseen = code !== 0 && counts.failed === 0 ? 1 : 0;
  return { ...counts, code, failed: counts.failed + unseen };
}

/** @returns {Promise<Counts>} */
async function readReport() {
  const text = await readFile(REPORT, 'utf8').catch(() => '{}');
  const report = JSON.parse(text);
  const { numPassedTests = 0, numFailedTests = 0, numPendingTests = 0, numTodoTests = 0, testResults = [] } = report;
  const slowest = toTimes(testResults);
  await writeFile(TIMES, slowest.map((line) => `${line}\n`).join(''));
  return {
    slowest,
    passed: numPassedTests,
    failed: numFailedTests,
    skipped: numPendingTests + numTodoTests,
    failures: testResults.flatMap(listFailures),
  };
}

/**
 * Seconds and tests of each file, the slowest first.
 *
 * @param {readonly { name: string, startTime: number, endTime: number, assertionResults: readonly unknown[] }[]} files
 */
function toTimes(files) {
  const times = files.map(({ name, startTime, endTime, assertionResults: { length } }) => ({
    seconds: (endTime - startTime) / 1000,
    what: `${relative(inRoot(), name)} (${length} ${length === 1 ? 'test' : 'tests'})`,
  }));
  times.sort((one, other) => other.seconds - one.seconds);
  return times.map(({ seconds, what }) => `${seconds.toFixed(1).padStart(7)} s  ${what}`);
}

/**
 * What failed in one file, and the first line of why.
 *
 * @param {{ name: string, status: string, message?: string, assertionResults: readonly Assertion[] }} file
 */
function listFailures({ name, status, message = '', assertionResults }) {
  const path = relative(inRoot(), name);
  const failed = assertionResults.filter((test) => test.status === 'failed');
  if (failed.length === 0 && status === 'failed') return [`${path}: ${toFirstLine(message)}`];
  return failed.map(
    ({ fullName, failureMessages }) => `${path}: ${fullName}: ${toFirstLine(failureMessages[0] ?? '')}`,
  );
}

/** @param {string} text */
function toFirstLine(text) {
  return text.split('\n', 1)[0] ?? '';
}

/** @typedef {{ passed: number, failed: number, skipped: number, failures: readonly string[], slowest: readonly string[] }} Counts */
/** @typedef {{ status: string, fullName: string, failureMessages: readonly string[] }} Assertion */
