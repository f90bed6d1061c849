// @ts-check
/**
 * `npm run test:real`: what is too heavy for `npm test`, above all programs we did not write, against the build.
 *
 * They are fetched when they are not there yet. The last line is always `N passed, N failed`.
 */
import { build } from './build.mjs';
import { fetchInspector } from './inspector.mjs';
import { install } from './install.mjs';
import { fetchMcporter } from './mcporter.mjs';
import { requireNode } from './node-floor.mjs';
import { runVitest } from './vitest.mjs';

requireNode();
const { code, passed, failed, failures } = await testReal().catch((error) => {
  console.error(error instanceof Error ? error.message : error);
  return { code: 1, passed: 0, failed: 1, failures: [] };
});
console.log();
for (const failure of failures) console.log(`FAILED: ${failure}`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = code;

async function testReal() {
  await install();
  if ((await build()) !== 0) throw new Error('there is no build to test');
  // Before the tests, so that a test's time is not spent on it; and one by one, so that nothing speaks after the count.
  await fetchInspector();
  await fetchMcporter();
  const { passed, failed, failures } = await runVitest(['--mode', 'real', ...process.argv.slice(2)]);
  // A run that tested nothing proves nothing.
  return { code: failed === 0 && passed > 0 ? 0 : 1, passed, failed, failures };
}
