import { toMarkdownCode, toMarkdownPage, toMarkdownTable } from '../report/markdown.ts';
import type { Drift, DriftValue } from './drift.ts';
import type { Plot } from './plots.ts';
import type { SoakReport } from './soak-report.ts';
import type { Kill } from './timeline.ts';

const SHOWN_FAILURES = 50;

/** Renders a report for people. */
export function toSoakPage(report: SoakReport, plots: readonly Plot[]): string {
  const { config, results } = report;
  const { latency } = results;
  return toMarkdownPage([
    `# Soak ${report.run_id}: ${report.outcome}`,
    `${toMarkdownCode(config.wrapper)} over ${config.transport}, ${config.era}: ${latency.count} calls of ${toMarkdownCode(config.tool)}, from ${report.started_at} to ${report.completed_at}.`,
    '## Latency',
    toMarkdownTable(
      ['calls', 'min ms', 'p50 ms', 'p95 ms', 'max ms', 'limit of p95'],
      [[latency.count, latency.min_ms, latency.p50_ms, latency.p95_ms, latency.max_ms, config.max_p95_ms].map(String)],
    ),
    '## Probes',
    toProbes(report),
    ...toFailureBlocks(results.failures, results.failure_count),
    ...toKillBlocks(results.kills),
    ...toDriftBlocks(results.drift),
    ...toPlotBlocks(plots),
  ]);
}

/** Renders the plots in reading order. */
export function toPlotBlocks(plots: readonly Plot[]): string[] {
  if (plots.length === 0) return [];
  return ['## Course', ...plots.map(({ title, file }) => `![${title}](${file})`)];
}

/** Renders a list of failures, truncated where more would add nothing. */
export function toFailureBlocks(failures: readonly string[], count = failures.length): string[] {
  if (count === 0) return ['## Failures', 'None.'];
  const shown = failures.slice(0, SHOWN_FAILURES).map((failure) => `- ${toMarkdownCode(failure)}`);
  const rest = count - shown.length;
  return ['## Failures', [...shown, ...(rest > 0 ? [`- and ${rest} more`] : [])].join('\n')];
}

function toProbes({ config, results }: SoakReport): string {
  const { task_result_probe: probe, malformed_probe_ok: isOk } = results;
  const malformed = config.inject_malformed_frame ? (isOk ? 'borne' : 'not borne') : 'not tried';
  const seen = probe.observed_error_code ?? probe.observed_status ?? probe.failure ?? 'nothing';
  return [
    `- malformed frame: ${malformed}`,
    `- result of a task that has not ended: ${probe.enabled ? toMarkdownCode(seen) : 'not tried'}`,
  ].join('\n');
}

function toKillBlocks(kills: readonly Kill[]): string[] {
  if (kills.length === 0) return [];
  const rows = kills.map(({ what, at, recovery_ms: ms }) => [what, String(at), ms === null ? 'never' : String(ms)]);
  return ['## Kills', toMarkdownTable(['what', 'at s', 'answered again after ms'], rows)];
}

function toDriftBlocks(drift: Drift): string[] {
  const rows = Object.entries(drift.values).map(([name, { first, last, ratio }]: [string, DriftValue]) => [
    name,
    String(first),
    String(last),
    String(ratio),
  ]);
  const verdict = drift.judged ? `The limit is ${drift.max_drift}.` : 'The run is too short to judge by it.';
  const what = `The last ${drift.window_s} s against as many from second ${drift.from_s} on. ${verdict}`;
  return rows.length === 0 ? [] : ['## Drift', what, toMarkdownTable(['what', 'first', 'last', 'ratio'], rows)];
}
