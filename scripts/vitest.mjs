// @ts-check
import { mkdir, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { inRoot } from './root.mjs';
import { bin, run } from './run.mjs';

const REPORT = inRoot('.cache', 'vitest.json');

/**
 * Runs the tests and counts them.
 *
 * @param {readonly string[]} args passed on to vitest
 * @returns {Promise<{ code: number, passed: number, failed: number, skipped: number }>}
 */
export async function runVitest(args) {
  await mkdir(dirname(REPORT), { recursive: true });
  await rm(REPORT, { force: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${REPORT}`];
  const code = await run(bin('vitest'), ['run', ...reporters, ...args]);
  const counts = await readCounts();
  // A file that cannot be loaded or an error outside every test fails the run without failing a test.
  const unseen = code !== 0 && counts.failed === 0 ? 1 : 0;
  return { ...counts, code, failed: counts.failed + unseen };
}

async function readCounts() {
  const text = await readFile(REPORT, 'utf8').catch(() => '{}');
  const { numPassedTests = 0, numFailedTests = 0, numPendingTests = 0, numTodoTests = 0 } = JSON.parse(text);
  return { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests + numTodoTests };
}
