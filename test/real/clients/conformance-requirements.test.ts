import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fetchSuite, runSuite } from '../../../scripts/fetched/conformance-suite.mjs';
import { startDemo } from '../../../scripts/servers/demo-server.mjs';
import { compareChecks } from '../../conformance/compare.js';
import { expectedRequirements } from '../../conformance/expected.js';
import { RETRIES } from '../../conformance/suite-tries.js';

const FETCH_MS = 180_000;
const RUN_MS = 180_000;

describe('the official conformance suite, what a revision requires of a server', () => {
  let demo: Awaited<ReturnType<typeof startDemo>>;

  beforeAll(async () => {
    await fetchSuite();
    demo = await startDemo();
  }, FETCH_MS);
  afterAll(() => demo?.stop());

  it.each(Object.entries(expectedRequirements))(
    '%s is met, but for what is listed as not applicable',
    { timeout: RUN_MS, retry: RETRIES },
    async (revision, expected) => {
      expect(compareChecks(await runSuite(demo.url, ['--requirements', revision]), expected)).toEqual([]);
    },
  );
});
