// @ts-check
/**
 * The gate: `npm test` runs every check, `npm test -- <args>` builds and hands the arguments to vitest.
 *
 * The last line is always `N passed, N failed`: the tests, and one for each other check.
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
  // Beside the tests, which wait more than they work: a core that is free meanwhile is lost.
  await Promise.all([args.length === 0 && gate.checkBeside(checks, { built }), gate.test({ args, built })]);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  gate.fail('set-up');
}
gate.close();
