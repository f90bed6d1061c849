// @ts-check
import { build } from '../build.mjs';
import { bin, run, WITHOUT_COLLECTING } from '../run.mjs';
import { listLayerViolations } from './layers.mjs';
import { checkPackage } from './package-checks.mjs';
import { checkSourceTypes } from './source-types.mjs';

/**
 * One check that must pass before a change is accepted.
 *
 * @typedef {object} Step
 * @property {string} title
 * @property {(onOutput?: (part: Buffer) => void) => Promise<number>} run returns an exit code; prints its output, or passes
 * it on
 * @property {boolean} [needsBuild] whether it reads `dist`
 */

/** Does not check types: that runs in parallel with the tests. @type {Step} */
export const buildStep = { title: 'build (tsc)', run: () => build({ checkTypes: false }) };

const format = toStep('format, lint and layers (biome)', 'biome', ['check', '--error-on-warnings', '.']);

const OXLINT = [
  '--type-aware',
  ...['-A', 'all'],
  ...['-D', 'typescript/no-floating-promises'],
  ...['-D', 'typescript/no-misused-promises'],
  ...['-D', 'typescript/switch-exhaustiveness-check'],
  ...['src', 'test', 'bench', 'examples', 'scripts'],
];

/** The longest first, so that none runs alone at the end. @type {readonly Step[]} */
export const checks = [
  // Tests import the package by its name, which the compiler resolves to `dist`.
  { ...toStep('types of everything (tsc -p test)', 'tsc', ['-p', 'test', '--checkers', '1']), needsBuild: true },
  toStep('promises and switches (oxlint)', 'oxlint', OXLINT),
  { title: 'package contents (publint)', run: checkPackage, needsBuild: true },
  toStep('nothing unused (knip)', 'knip', []),
  format,
  toStep('types of the page (tsc -p web)', 'tsc', ['-p', 'web', '--checkers', '1']),
];

// Resolves the package's own doors to `src`, so that nothing has to be built.
const SOURCE = 'test/tsconfig.source.json';

/** The checks that need only the source. @type {readonly Step[]} */
export const sourceChecks = [
  { title: 'types of everything (tsc, from source)', run: checkSourceTypes },
  toStep('promises and switches (oxlint)', 'oxlint', ['--tsconfig', SOURCE, ...OXLINT]),
  format,
  { title: 'layers', run: checkLayers },
];

/**
 * @param {string} title
 * @param {string} tool
 * @param {readonly string[]} args
 * @returns {Step}
 */
function toStep(title, tool, args) {
  return { title, run: (onOutput) => run(bin(tool), args, { env: WITHOUT_COLLECTING, ...(onOutput && { onOutput }) }) };
}

/** @type {Step['run']} */
async function checkLayers(onOutput) {
  const violations = listLayerViolations();
  onOutput?.(Buffer.from(violations.join('\n')));
  return violations.length === 0 ? 0 : 1;
}
