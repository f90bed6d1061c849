import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ClosureReport } from '../../../src/campaign/soak/closure/closure-report.ts';
import {
  type CampaignRun,
  type ClosureLimits,
  judgeClosure,
} from '../../../src/campaign/soak/closure/judge-closure.ts';
import { runClosure } from '../../../src/campaign/soak/closure/run-closure.ts';
import { writeClosure } from '../../../src/campaign/soak/closure/write-closure.ts';
import { makeDirectory, readClosure, toLine } from './soak-rig.ts';

const LIMITS: ClosureLimits = {
  streakTarget: 3,
  minP95ComplianceRatio: 0.95,
  openWrapperDefects: 0,
  unresolvedTransportRegressions: 0,
  unclassifiedFailures: 0,
};

/** Runs that passed (+), were slow (~), failed (-), or failed the probe (?). */
function toRuns(marks: string): CampaignRun[] {
  return [...marks].map((mark, at) => ({
    index: at + 1,
    pass: mark === '+' || mark === '~',
    p95_compliant: mark === '+',
    task_result_nonterminal_probe_ok: mark !== '?',
    transports: [],
    failures: [],
  }));
}

describe('the verdict on a campaign', () => {
  it('[BAD-510] is ready when the last runs of the target have all passed', () => {
    expect(judgeClosure(toRuns('-+++'), LIMITS)).toEqual({
      closure_ready: true,
      current_consecutive_pass_streak: 3,
      window_size: 3,
      window_pass_count: 3,
      window_p95_compliance_ratio: 1,
      criteria: {
        streak_target_met: true,
        no_regressions_in_window: true,
        p95_compliance_met: true,
        nonterminal_task_result_probe_met: true,
        no_unresolved_transport_regressions: true,
        no_open_wrapper_defects: true,
        no_unclassified_failures: true,
      },
    });
  });

  it.each([
    ['++', {}, ['streak_target_met', 'no_regressions_in_window', 'p95_compliance_met']],
    ['++-', {}, ['streak_target_met', 'no_regressions_in_window', 'p95_compliance_met']],
    ['+~+', {}, ['p95_compliance_met']],
    ['+~+', { minP95ComplianceRatio: 0.6 }, []],
    [
      '++?',
      {},
      ['streak_target_met', 'no_regressions_in_window', 'p95_compliance_met', 'nonterminal_task_result_probe_met'],
    ],
    ['+++', { openWrapperDefects: 1 }, ['no_open_wrapper_defects']],
    ['+++', { unresolvedTransportRegressions: 1 }, ['no_unresolved_transport_regressions']],
    ['+++', { unclassifiedFailures: 1 }, ['no_unclassified_failures']],
    ['', {}, ['streak_target_met', 'no_regressions_in_window', 'p95_compliance_met']],
  ])('[BAD-510] of runs %s with %j misses %j', (marks, limits, missed) => {
    const { criteria, closure_ready: isReady } = judgeClosure(toRuns(marks), { ...LIMITS, ...limits });
    expect(Object.keys(criteria).filter((name) => !criteria[name])).toEqual(missed);
    expect(isReady).toBe(missed.length === 0);
  });
});

it('[BAD-515] the campaign that is kept with the documents is ready, and names no place of one machine', async () => {
  const folder = new URL('../../../docs/reports/closure/', import.meta.url);
  const names = await readdir(folder);
  const texts = await Promise.all(names.map((name) => readFile(new URL(name, folder), 'utf8')));
  const json = texts[names.findIndex((name) => name.endsWith('.json'))] ?? '';
  const { config, results }: ClosureReport = JSON.parse(json);
  expect(config).toMatchObject({ transports: ['line', 'http'], eras: ['2025-11-25', '2026-07-28'] });
  expect(results).toMatchObject({
    closure_ready: true,
    current_consecutive_pass_streak: 5,
    window_p95_compliance_ratio: 1,
  });
  expect(texts.join()).not.toMatch(/\/(?:home|Users|root|tmp|var)\//);
  const page = texts[names.indexOf('README.md')] ?? '';
  for (const name of names.filter((one) => one.endsWith('.svg'))) expect(page).toContain(`](${name})`);
});

const FOREIGN = ['--soak-iterations', '5', '--eras', '2025-11-25', '--streak-target', '2', '--max-campaign-runs', '3'];

describe('a closure campaign on a foreign server', () => {
  it('[BAD-511] of two runs is ready, and its reports tell all of it', async () => {
    const closure = await runClosure(readClosure(toLine('closure', 'good', FOREIGN)));
    const { results } = closure.report;
    expect(results).toMatchObject({
      closure_ready: true,
      current_consecutive_pass_streak: 2,
      window_p95_compliance_ratio: 1,
      attempted_campaign_runs: 2,
      telemetry: {
        error_code_totals: {},
        task_result_mode_distribution: { auto: 2 },
        retryable_task_result_error_count: 0,
        task_result_nonterminal_probe_enabled_count: 2,
        task_result_nonterminal_probe_success_ratio: 1,
      },
    });
    expect(results.campaign_runs[1]?.transports).toMatchObject([{ transport: 'line', returncode: 0, outcome: 'pass' }]);
    const directory = makeDirectory();
    const page = await readFile(await writeClosure(closure, directory), 'utf8');
    const base = `mcp_transport_closure_${closure.report.run_id}`;
    expect(page).toContain(`# Closure ${closure.report.run_id}: ready`);
    for (const name of ['latency', 'memory', 'descriptors']) expect(page).toContain(`](${base}_${name}.svg)`);
    expect(JSON.parse(await readFile(join(directory, `${base}.json`), 'utf8'))).toEqual(closure.report);
    expect(await readdir(join(directory, base))).toHaveLength(2);
  });

  it('[BAD-511] that fails goes on to the most runs and names its failures', async () => {
    const { report } = await runClosure(readClosure(toLine('closure', 'wrong', FOREIGN)));
    expect(report.results).toMatchObject({ closure_ready: false, attempted_campaign_runs: 3 });
    expect(report.results.campaign_runs[0]).toMatchObject({ pass: false, p95_compliant: false });
    expect(report.results.campaign_runs[0]?.failures).toContain('line:iteration_4_wrong_answer');
  });

  it('[BAD-511] that cannot begin is refused; a soak that cannot later is a run that failed', async () => {
    await expect(runClosure(readClosure(toLine('closure', 'never', FOREIGN)))).rejects.toMatchObject({
      code: 'CONNECT_FAILED',
    });
    const once = toLine('closure', `once ${join(makeDirectory(), 'started')}`, ['--no-kill-server', ...FOREIGN]);
    const { report } = await runClosure(readClosure(once));
    expect(report.results.campaign_runs.map(({ failures }) => failures)).toEqual([
      [],
      ['line:soak_error:CONNECT_FAILED'],
      ['line:soak_error:CONNECT_FAILED'],
    ]);
  });
});
