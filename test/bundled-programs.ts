/** Makes the bundle on which the programs of the tests run; `npm run test:real` runs them on the package as it is shipped. */
import { bundlePrograms } from '../scripts/build/program-bundle.mjs';

export async function setup(): Promise<void> {
  process.env.HOLDFAST_TEST_BUNDLE ??= await bundlePrograms();
}
