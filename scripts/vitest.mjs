// @ts-check
import { mkdir, readFile, rm } from 'node:fs/promises';
import { dirname, relative } from 'node:path';
import { inRoot } from './root.mjs';
import { bin, run } from './run.mjs';

const REPORT = inRoot('.cache', 'vitest.json');

/**
 * Runs the tests and counts them.
 *
 * @param {readonly string[]} args passed on to vitest
 * @returns {Promise<{ code: number, passed: number, failed: number, skipped: number, failures: readonly string[] }>}
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

async function readReport() {
  const text = await readFile(REPORT, 'utf8').catch(() => '{}');
  const report = JSON.parse(text);
  const { numPassedTests = 0, numFailedTests = 0, numPendingTests = 0, numTodoTests = 0, testResults = [] } = report;
  return {
    passed: numPassedTests,
    failed: numFailedTests,
    skipped: numPendingTests + numTodoTests,
    failures: testResults.flatMap(listFailures),
  };
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

/** @typedef {{ status: string, fullName: string, failureMessages: readonly string[] }} Assertion */
