import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fetchSuite, runSuite } from '../../../scripts/fetched/conformance-suite.mjs';
import { startDemo } from '../../../scripts/servers/demo-server.mjs';
import { compareChecks, countPassed } from '../../conformance/compare.js';
import { expectedTasks } from '../../conformance/expected.js';
import { RETRIES } from '../../conformance/suite-tries.js';

const FETCH_MS = 180_000;
const SCENARIO_MS = 60_000;

describe('the official conformance suite, tasks extension', () => {
  let demo: Awaited<ReturnType<typeof startDemo>>;
  const passed: Record<string, number> = {};

  beforeAll(async () => {
    await fetchSuite();
    demo = await startDemo();
  }, FETCH_MS);
  afterAll(() => demo?.stop());

  it.each(Object.entries(expectedTasks))(
    '%s: %i checks pass',
    { timeout: SCENARIO_MS, retry: RETRIES },
    async (scenario, count) => {
      const checks = await runSuite(demo.url, ['--scenario', scenario]);
      Object.assign(passed, countPassed(checks));
      expect(compareChecks(checks, { [scenario]: count })).toEqual([]);
    },
  );

  it('44 of 44 checks pass in all', () => {
    expect(Object.values(passed).reduce((sum, count) => sum + count, 0)).toBe(44);
  });
});
