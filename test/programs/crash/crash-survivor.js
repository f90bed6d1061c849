// @ts-check
/**
 * Comes after a crash: finishes everything that is in the store with a detached worker, and prints what it finds.
 *
 * node crash-survivor.js DIR
 */
import { finishCrashed } from './crash-finish.js';

const [dir = ''] = process.argv.slice(2);
console.log(JSON.stringify(await finishCrashed(dir, 'detached')));
