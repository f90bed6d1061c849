import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ClosureReport } from '../../../src/campaign/soak/closure/closure-report.ts';
import type { SoakReport } from '../../../src/campaign/soak/soak-report.ts';
import { makeDirectory } from '../../campaign/soak/soak-rig.ts';
import { runCli } from '../../cli/run-cli.ts';

const LONG_MS = 1_800_000;

describe('our own server', () => {
  it('[BAD-515] closes a campaign of five runs over stdio and HTTP, in both eras, with kills in every soak', {
    timeout: LONG_MS,
  }, async () => {
    const directory = makeDirectory();
    const line = ['closure', '--streak-target', '5', '--max-campaign-runs', '5', '--soak-timeout-sec', '60'];
    const { code, stdout } = await runCli([...line, '--json', '--report-dir', directory]);
    const { results }: ClosureReport = JSON.parse(stdout);
    expect(results.campaign_runs.flatMap(({ failures }) => failures)).toEqual([]);
    expect(results).toMatchObject({
      closure_ready: true,
      current_consecutive_pass_streak: 5,
      window_p95_compliance_ratio: 1,
      attempted_campaign_runs: 5,
      telemetry: { task_result_nonterminal_probe_enabled_count: 20, task_result_nonterminal_probe_success_ratio: 1 },
    });
    expect(code).toBe(0);
    const [folder = ''] = (await readdir(directory)).filter((name) => !name.includes('.'));
    const soaks = await readdir(join(directory, folder));
    expect(soaks).toHaveLength(20);
    for (const name of soaks) {
      const soak: SoakReport = JSON.parse(await readFile(join(directory, folder, name), 'utf8'));
      expect(soak.results.kills.map(({ what }) => what)).toEqual(['server', 'worker']);
    }
  });
});
