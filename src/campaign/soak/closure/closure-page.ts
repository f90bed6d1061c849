import { toMarkdownCode, toMarkdownPage, toMarkdownTable } from '../../report/markdown.ts';
import type { Plot } from '../plots.ts';
import { toFailureBlocks, toPlotBlocks } from '../soak-page.ts';
import type { ClosureReport } from './closure-report.ts';
import type { CampaignRun } from './judge-closure.ts';

/** Renders a campaign for people. */
export function toClosurePage(report: ClosureReport, plots: readonly Plot[]): string {
  const { results, config } = report;
  const { telemetry } = results;
  return toMarkdownPage([
    `# Closure ${report.run_id}: ${results.closure_ready ? 'ready' : 'not ready'}`,
    `${toMarkdownCode(String(config.wrapper))}, from ${report.started_at} to ${report.completed_at}: ${results.attempted_campaign_runs} runs of ${String(config.soak_iterations)} calls for each line below; streak ${results.current_consecutive_pass_streak} of ${String(config.streak_target)}, p95 within its limit in ${results.window_p95_compliance_ratio} of the window.`,
    '## Criteria',
    toMarkdownTable(
      ['criterion', 'met'],
      Object.entries(results.criteria).map(([name, isMet]) => [toMarkdownCode(name), isMet ? 'yes' : 'no']),
    ),
    '## Runs',
    toMarkdownTable(['run', 'transport', 'era', 'outcome', 'p95 ms', 'probe'], results.campaign_runs.flatMap(toRows)),
    `Results asked for before their task had ended: ${telemetry.task_result_nonterminal_probe_success_count} of ${telemetry.task_result_nonterminal_probe_enabled_count} answered as they must be.`,
    ...toFailureBlocks(
      results.campaign_runs.flatMap(({ index, failures }) => failures.map((one) => `${index}:${one}`)),
    ),
    ...toPlotBlocks(plots),
  ]);
}

function toRows({ index, transports }: CampaignRun): string[][] {
  return transports.map((soak) => [
    String(index),
    soak.transport,
    soak.era,
    soak.outcome,
    String(soak.p95_ms),
    soak.task_result_probe_enabled ? (soak.task_result_nonterminal_probe_ok ? 'ok' : 'failed') : 'not tried',
  ]);
}
