/** Decides whether a campaign is closed: enough consecutive passes, within the limits, and no open problems. */
import type { SoakReport } from '../soak-report.ts';

/** One soak of a campaign run. */
export interface TransportRun {
  readonly transport: string;
  readonly era: string;
  readonly returncode: number;
  readonly outcome: 'pass' | 'fail' | 'error';
  readonly report_run_id: string | null;
  readonly p95_ms: number;
  readonly p95_compliant: boolean;
  readonly error_codes: Readonly<Record<string, number>>;
  readonly task_result_mode: string | null;
  readonly task_result_auto_retry_clients: string | null;
  readonly task_result_probe_enabled: boolean;
  readonly task_result_nonterminal_probe_ok: boolean;
  readonly failures: readonly string[];
}

/** One soak for each transport and era. */
export interface CampaignRun {
  readonly index: number;
  readonly pass: boolean;
  readonly p95_compliant: boolean;
  readonly task_result_nonterminal_probe_ok: boolean;
  readonly transports: readonly TransportRun[];
  readonly failures: readonly string[];
}

export interface ClosureLimits {
  readonly streakTarget: number;
  readonly minP95ComplianceRatio: number;
  readonly openWrapperDefects: number;
  readonly unresolvedTransportRegressions: number;
  readonly unclassifiedFailures: number;
}

export interface Verdict {
  readonly closure_ready: boolean;
  readonly current_consecutive_pass_streak: number;
  readonly window_size: number;
  readonly window_pass_count: number;
  readonly window_p95_compliance_ratio: number;
  readonly criteria: Readonly<Record<string, boolean>>;
}

export function judgeClosure(runs: readonly CampaignRun[], limits: ClosureLimits): Verdict {
  const { streakTarget, minP95ComplianceRatio } = limits;
  const failedAt = runs.findLastIndex(({ pass }) => !pass);
  const streak = runs.length - 1 - failedAt;
  const window = runs.slice(-streakTarget);
  const passed = window.filter(({ pass }) => pass).length;
  const ratio = window.length === 0 ? 0 : window.filter((run) => run.p95_compliant).length / window.length;
  const isFull = window.length === streakTarget;
  const criteria = {
    streak_target_met: streak >= streakTarget,
    no_regressions_in_window: isFull && passed === window.length,
    p95_compliance_met: isFull && ratio >= minP95ComplianceRatio,
    nonterminal_task_result_probe_met: window.every((run) => run.task_result_nonterminal_probe_ok),
    no_unresolved_transport_regressions: limits.unresolvedTransportRegressions <= 0,
    no_open_wrapper_defects: limits.openWrapperDefects <= 0,
    no_unclassified_failures: limits.unclassifiedFailures <= 0,
  };
  return {
    closure_ready: Object.values(criteria).every(Boolean),
    current_consecutive_pass_streak: streak,
    window_size: window.length,
    window_pass_count: passed,
    window_p95_compliance_ratio: ratio,
    criteria,
  };
}

/** Combines soaks into a campaign run. */
export function toCampaignRun(index: number, transports: readonly TransportRun[]): CampaignRun {
  return {
    index,
    pass: transports.every(({ outcome }) => outcome === 'pass'),
    p95_compliant: transports.every((one) => one.p95_compliant),
    task_result_nonterminal_probe_ok: transports.every((one) => one.task_result_nonterminal_probe_ok),
    transports,
    failures: transports.flatMap(({ transport, failures }) => failures.map((failure) => `${transport}:${failure}`)),
  };
}

/** Extracts from a soak report what a campaign needs. */
export function toTransportRun({ run_id: runId, outcome, config, results }: SoakReport): TransportRun {
  const { latency, task_result_probe: probe, error_codes: codes, failures } = results;
  return {
    transport: config.transport,
    era: config.era,
    returncode: outcome === 'pass' ? 0 : 2,
    outcome,
    report_run_id: runId,
    p95_ms: latency.p95_ms,
    p95_compliant: outcome === 'pass' && latency.p95_ms <= config.max_p95_ms,
    error_codes: codes,
    task_result_mode: config.task_result_mode,
    task_result_auto_retry_clients: config.task_result_auto_retry_clients,
    task_result_probe_enabled: probe.enabled,
    task_result_nonterminal_probe_ok: !probe.enabled || probe.observed_retryable_nonterminal_error === true,
    failures,
  };
}
