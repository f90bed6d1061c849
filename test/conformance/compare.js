// @ts-check
import { notApplicable } from './expected.js';

/** @typedef {import('../../scripts/fetched/conformance-suite.mjs').Check} Check */

/** How many checks of each scenario passed. @param {readonly Check[]} checks */
export function countPassed(checks) {
  /** @type {Record<string, number>} */
  const passed = {};
  for (const { scenario, status } of checks) {
    passed[scenario] = (passed[scenario] ?? 0) + (status === 'SUCCESS' ? 1 : 0);
  }
  return passed;
}

/**
 * Everything in which a run differs from what is expected, one line each.
 *
 * @param {readonly Check[]} checks
 * @param {import('./expected.js').Expected} expected
 * @param {readonly import('./expected.js').NotApplicable[]} excused
 */
export function compareChecks(checks, expected, excused = notApplicable) {
  const passed = countPassed(checks);
  const scenarios = new Set([...Object.keys(expected), ...Object.keys(passed)]);
  const miscounted = [...scenarios]
    .filter((scenario) => passed[scenario] !== expected[scenario])
    .map((name) => `${name}: passed ${passed[name] ?? 'nothing'}, expected ${expected[name] ?? 'nothing'}`);
  const unmet = checks.filter(({ status }) => status !== 'SUCCESS' && status !== 'INFO');
  const unexcused = unmet
    .filter((check) => !excused.some((excuse) => isSame(check, excuse)))
    .map(({ scenario, id, status, message }) => `${scenario}: ${id} is ${status}: ${message}`);
  const idle = excused
    .filter(({ scenario }) => scenario in passed)
    .filter((excuse) => !unmet.some((check) => isSame(check, excuse)))
    .map(({ scenario, id }) => `${scenario}: ${id} is excused for nothing`);
  return [...miscounted, ...unexcused, ...idle];
}

/** @param {Check} check @param {import('./expected.js').NotApplicable} excuse */
function isSame(check, { scenario, id, status }) {
  return check.scenario === scenario && check.id === id && check.status === status;
}
