// @ts-check
/**
 * Runs the official conformance suite against `holdfast demo` and compares the results with the expected ones.
 *
 * `node scripts/conformance.mjs` runs everything; with names of scenarios, only those of the tasks extension.
 */
import { compareChecks, countPassed } from '../test/conformance/compare.js';
import { expectedRequirements, expectedTasks } from '../test/conformance/expected.js';
import { build } from './build.mjs';
import { runSuite } from './fetched/conformance-suite.mjs';
import { startDemo } from './servers/demo-server.mjs';

const named = process.argv.slice(2);
if ((await build()) !== 0) process.exit(1);
const demo = await startDemo();
try {
  for (const scenario of named.length > 0 ? named : Object.keys(expectedTasks)) {
    await check(['--scenario', scenario], { [scenario]: expectedTasks[scenario] ?? 0 });
  }
  if (named.length === 0) {
    for (const [revision, expected] of Object.entries(expectedRequirements)) {
      console.log(`\n${revision}`);
      await check(['--requirements', revision], expected);
    }
  }
} finally {
  await demo.stop();
}

/** @param {string[]} args @param {import('../test/conformance/expected.js').Expected} expected */
async function check(args, expected) {
  const checks = await runSuite(demo.url, args);
  for (const [scenario, passed] of Object.entries(countPassed(checks))) {
    console.log(`${scenario.padEnd(48)} ${passed} of ${expected[scenario] ?? 0}`);
  }
  const surprises = compareChecks(checks, expected);
  for (const surprise of surprises) console.error(surprise);
  if (surprises.length > 0) process.exitCode = 1;
}
