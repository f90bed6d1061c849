// @ts-check
/**
 * `npm run test:real`: tests that are too heavy for `npm test`, above all with third-party programs, against the build.
 *
 * Missing programs are fetched. One that cannot be fetched is reported and counts as failed; the rest is tested all the same.
 * The last line is always `N passed, N failed`.
 */
import { build } from './build.mjs';
import { installChromium } from './fetched/chromium.mjs';
import { fetchCodex } from './fetched/codex.mjs';
import { fetchInspector } from './fetched/inspector.mjs';
import { fetchMcporter } from './fetched/mcporter.mjs';
import { fetchNext } from './fetched/next.mjs';
import { fetchOpencode } from './fetched/opencode.mjs';
import { runVitest } from './gate/vitest.mjs';
import { install } from './install/install.mjs';
import { requireNode } from './install/node-floor.mjs';

requireNode();
const { code, passed, failed, failures, unsteady } = await testReal().catch((error) => {
  console.error(error instanceof Error ? error.message : error);
  return { code: 1, passed: 0, failed: 1, failures: [], unsteady: [] };
});
console.log();
for (const title of unsteady) console.log(`UNSTEADY, passed alone: ${title}`);
for (const failure of failures) console.log(`FAILED: ${failure}`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = code;

async function testReal() {
  await install();
  if ((await build()) !== 0) throw new Error('there is no build to test');
  await installChromium();
  const missing = await fetchAll();
  const ran = await runVitest(process.argv.slice(2), { mode: 'real' });
  const failed = ran.failed + missing.length;
  // A run without any passed test proves nothing.
  const code = failed === 0 && ran.passed > 0 ? 0 : 1;
  return { code, passed: ran.passed, failed, failures: [...missing, ...ran.failures], unsteady: ran.unsteady };
}

/**
 * Fetches before the tests, so that it does not use up a test's time; one by one, so that nothing is printed after the count.
 */
async function fetchAll() {
  /** @type {string[]} */
  const missing = [];
  for (const fetchOne of [fetchInspector, fetchMcporter, fetchCodex, fetchOpencode, fetchNext]) {
    await fetchOne().catch((error) => missing.push(error instanceof Error ? error.message : String(error)));
  }
  return missing;
}
