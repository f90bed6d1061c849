/** Creates the bundle from which tests start their programs; `npm run test:real` starts them on the package as shipped. */
import { bundlePrograms } from '../scripts/build/program-bundle.mjs';

export async function setup(): Promise<void> {
  process.env.HOLDFAST_TEST_BUNDLE ??= await bundlePrograms();
}
