// @ts-check
/**
 * `npm run check`: checks the source in seconds, without a build. Types, lint, layers, and the pure tests.
 *
 * `npm run check -- <args>` passes the arguments to vitest. The last line is always `N passed, N failed`.
 */
import { createGate } from './gate/gate.mjs';
import { sourceChecks } from './gate/steps.mjs';
import { install } from './install/install.mjs';
import { requireNode } from './install/node-floor.mjs';

requireNode();
const gate = createGate();
const args = process.argv.slice(2);
try {
  await install();
  await Promise.all([
    gate.checkBeside(sourceChecks, { built: false }),
    gate.test({ args, mode: 'pure', title: 'pure tests (vitest)' }),
  ]);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  gate.fail('set-up');
}
gate.close();
