/** Makes the bundle on which the programs of the tests run. */
import { bundlePrograms } from '../scripts/build/program-bundle.mjs';

export async function setup(): Promise<void> {
  process.env.HOLDFAST_TEST_BUNDLE ??= await bundlePrograms();
}
