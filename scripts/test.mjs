// @ts-check
/**
 * The gate: `npm test` runs every check, `npm test -- <args>` builds and passes the arguments to vitest.
 *
 * The last line is always `N passed, N failed`: each test counts, and each other check counts as one.
 */
import { installChromium } from './fetched/chromium.mjs';
import { createGate } from './gate/gate.mjs';
import { buildStep, checks } from './gate/steps.mjs';
import { install } from './install/install.mjs';
import { requireNode } from './install/node-floor.mjs';

requireNode();
const gate = createGate();
const args = process.argv.slice(2);
try {
  const needsBrowser = args.length === 0 || args.some((arg) => arg.includes('sandbox'));
  await Promise.all([install(), needsBrowser && installChromium()]);
  const built = await gate.check(buildStep);
  if (args.length > 0) console.log(`\nOnly vitest ${args.join(' ')}: the other checks of the gate are left out.`);
  // Checks run in parallel with the tests, which mostly wait and would leave cores idle.
  await Promise.all([args.length === 0 && gate.checkBeside(checks, { built }), gate.test({ args, built })]);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  gate.fail('set-up');
}
gate.close();
