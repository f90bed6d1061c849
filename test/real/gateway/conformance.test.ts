/** The official suite finds the same in a server behind a gateway as in the server itself. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fetchSuite, runSuite } from '../../../scripts/fetched/conformance-suite.mjs';
import { startDemo, startGatedDemo } from '../../../scripts/servers/demo-server.mjs';
import { expectedRequirements } from '../../conformance/expected.js';
import { RETRIES } from '../../conformance/suite-tries.js';
import { compareRuns } from '../../conformance/through-gateway.js';

const FETCH_MS = 180_000;
const RUN_MS = 300_000;

describe('the official conformance suite', () => {
  let direct: Awaited<ReturnType<typeof startDemo>>;
  let through: Awaited<ReturnType<typeof startDemo>>;

  beforeAll(async () => {
    await fetchSuite();
    [direct, through] = await Promise.all([startDemo(), startGatedDemo()]);
  }, FETCH_MS);
  afterAll(async () => {
    await direct?.stop();
    await through?.stop();
  });

  it.each(Object.keys(expectedRequirements))(
    '[GATE-160] what %s requires has the same marks directly and through a gateway, but for those that are listed',
    { timeout: RUN_MS, retry: RETRIES },
    async (revision) => {
      const args = ['--requirements', revision];
      // One after the other, so that neither takes the other's time.
      const alone = await runSuite(direct.url, args);
      const gated = await runSuite(through.url, args);
      expect(alone.length).toBeGreaterThan(50);
      expect(compareRuns(alone, gated)).toEqual([]);
    },
  );
});
