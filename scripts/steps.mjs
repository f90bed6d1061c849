// @ts-check
import { build } from './build.mjs';
import { bin, run } from './run.mjs';

/**
 * One thing that must hold before a change is good.
 *
 * @typedef {object} Step
 * @property {string} title
 * @property {() => Promise<number>} run answers with an exit code
 * @property {boolean} [needsBuild] whether it looks at `dist`
 */

/** @type {Step} */
export const buildStep = { title: 'build (tsc)', run: build };

/** @type {readonly Step[]} */
export const checksBeforeTests = [
  toStep('format, lint and layers (biome)', 'biome', ['check', '--error-on-warnings', '.']),
  toStep('promises and switches (oxlint)', 'oxlint', [
    '--type-aware',
    ...['-A', 'all'],
    ...['-D', 'typescript/no-floating-promises'],
    ...['-D', 'typescript/no-misused-promises'],
    ...['-D', 'typescript/switch-exhaustiveness-check'],
    ...['src', 'test', 'bench', 'examples', 'scripts'],
  ]),
  // Tests import the package by its name, which the compiler finds in `dist`.
  { ...toStep('types of everything (tsc -p test)', 'tsc', ['-p', 'test']), needsBuild: true },
];

/** @type {readonly Step[]} */
export const checksAfterTests = [
  toStep('nothing unused (knip)', 'knip', []),
  { ...toStep('package contents (publint)', 'publint', ['--strict']), needsBuild: true },
  { ...toStep('package types (attw)', 'attw', ['--pack', '.', '--profile', 'esm-only']), needsBuild: true },
];

/**
 * @param {string} title
 * @param {string} tool
 * @param {readonly string[]} args
 * @returns {Step}
 */
function toStep(title, tool, args) {
  return { title, run: () => run(bin(tool), args) };
}
