// @ts-check
/**
 * `npm run test:real`: what is too heavy for `npm test`, above all programs we did not write, against the build.
 *
 * They are fetched when they are not there yet. One that cannot be had is named and counts as failed; the rest is tested all
 * the same. The last line is always `N passed, N failed`.
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
  // A run that tested nothing proves nothing.
  const code = failed === 0 && ran.passed > 0 ? 0 : 1;
  return { code, passed: ran.passed, failed, failures: [...missing, ...ran.failures], unsteady: ran.unsteady };
}

/** Before the tests, so that a test's time is not spent on it; and one by one, so that nothing speaks after the count. */
async function fetchAll() {
  /** @type {string[]} */
  const missing = [];
  for (const fetchOne of [fetchInspector, fetchMcporter, fetchCodex, fetchOpencode, fetchNext]) {
    await fetchOne().catch((error) => missing.push(error instanceof Error ? error.message : String(error)));
  }
  return missing;
}
