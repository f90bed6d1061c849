// @ts-check
/**
 * What the product promises, one row per checkable claim.
 *
 * A test proves a row by carrying its id in brackets at the start of its title: `it('[TASK-02] …')`. A row whose proof
 * lies in a suite that is published, and so knows nothing of these ids, names the test instead.
 */
import { eraRequirements } from './eras.js';
import { badInputRequirements } from './foundation-bad-input.js';
import { cliRequirements } from './foundation-cli.js';
import { crashRequirements } from './foundation-crash.js';
import { engineRequirements } from './foundation-engine.js';
import { packageRequirements } from './foundation-package.js';
import { storeRequirements } from './foundation-store.js';
import { taskRequirements } from './foundation-task.js';

/**
 * @typedef {object} Requirement
 * @property {string} id area and number; never given to another claim
 * @property {'foundation' | 'design' | 'eras' | 'seed-003'} source where the claim was made
 * @property {string} claim
 * @property {{ file: string, title: string }} [test] where the proof is when no title can carry the id
 */

/** @type {readonly Requirement[]} */
export const requirements = [
  ...packageRequirements,
  ...taskRequirements,
  ...storeRequirements,
  ...engineRequirements,
  ...cliRequirements,
  ...crashRequirements,
  ...badInputRequirements,
  ...eraRequirements,
];
