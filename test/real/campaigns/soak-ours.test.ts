import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ClosureReport } from '../../../src/campaign/soak/closure/closure-report.ts';
import type { SoakReport } from '../../../src/campaign/soak/soak-report.ts';
import { makeDirectory } from '../../campaign/soak/soak-rig.ts';
import { runCli } from '../../cli/run-cli.ts';

/** For a machine that is busy with something else: these tests are about failures, not about time. */
const PATIENT = ['--max-p95-ms', '60000', '--timeout-sec', '60'];

describe('a soak of our own server', () => {
  it('[BAD-509] bears a killed server and a killed worker, and is written for programs and for people', async () => {
    const directory = makeDirectory();
    const { code, stdout } = await runCli([
      'soak',
      '--json',
      '--iterations',
      '6',
      ...PATIENT,
      '--report-dir',
      directory,
    ]);
    const report: SoakReport = JSON.parse(stdout);
    expect(report.results.failures).toEqual([]);
    expect(code).toBe(0);
    expect(report).toMatchObject({
      outcome: 'pass',
      config: { wrapper: 'holdfast demo', kill_server: true, kill_worker: true },
      results: {
        malformed_probe_ok: true,
        task_result_probe: { observed_error_code: '-32002' },
        latency: { count: 6 },
        kills: [
          { what: 'server', recovery_ms: expect.any(Number) },
          { what: 'worker', recovery_ms: expect.any(Number) },
        ],
      },
    });
    const [sample] = report.results.samples;
    expect(sample).toMatchObject({ database_bytes: expect.any(Number) });
    if (process.platform === 'linux') {
      expect(sample).toMatchObject({ server_descriptors: expect.any(Number), worker_rss_bytes: expect.any(Number) });
    }
    const base = `mcp_transport_soak_${report.run_id}`;
    const plots = ['database', 'descriptors', 'latency', 'memory'].map((name) => `${base}_${name}.svg`);
    expect((await readdir(directory)).sort()).toEqual([`${base}.json`, `${base}.md`, ...plots]);
    expect(await readFile(join(directory, `${base}_latency.svg`), 'utf8')).toContain('<title>worker killed, ');
    // Reports are shown to others.
    const all = await Promise.all(
      [`${base}.json`, `${base}.md`].map((name) => readFile(join(directory, name), 'utf8')),
    );
    expect(all.join()).not.toContain(process.cwd());
  });
});

describe('a closure campaign on our own server', () => {
  it('[BAD-509] of two runs is ready over HTTP in the newer era', async () => {
    const calm = ['--no-kill-server', '--no-kill-worker', '--soak-iterations', '3', '--soak-warmup-requests', '1'];
    const patient = ['--soak-max-p95-ms', '60000', '--soak-timeout-sec', '60'];
    const two = ['--streak-target', '2', '--max-campaign-runs', '2', '--eras', '2026-07-28', '--transports', 'http'];
    const directory = makeDirectory();
    const line = ['closure', ...two, ...calm, ...patient, '--report-dir', directory];
    const { code, stdout } = await runCli(line);
    expect(stdout).toMatch(/^closure_ready: true, streak 2 of 2, p95 ratio 1\nreport: .*\.md\n$/);
    expect(code).toBe(0);
    const json = (await readdir(directory)).find((name) => name.endsWith('.json')) ?? '';
    const report: ClosureReport = JSON.parse(await readFile(join(directory, json), 'utf8'));
    expect(report.results.campaign_runs[0]?.transports).toMatchObject([{ transport: 'http', era: '2026-07-28' }]);
    expect(report.results.telemetry.task_result_nonterminal_probe_success_ratio).toBe(1);
  });
});
