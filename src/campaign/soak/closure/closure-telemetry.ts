import type { CampaignRun } from './judge-closure.ts';

export interface Telemetry {
  readonly error_code_totals: Readonly<Record<string, number>>;
  readonly task_result_mode_distribution: Readonly<Record<string, number>>;
  readonly task_result_auto_retry_profile_distribution: Readonly<Record<string, number>>;
  readonly retryable_task_result_error_count: number;
  readonly retryable_task_result_error_ratio: number;
  readonly task_result_nonterminal_probe_enabled_count: number;
  readonly task_result_nonterminal_probe_success_count: number;
  readonly task_result_nonterminal_probe_failure_count: number;
  readonly task_result_nonterminal_probe_success_ratio: number;
}

const NOT_READY = '-32002';

/** Totals over all soaks of a campaign. */
export function toTelemetry(runs: readonly CampaignRun[]): Telemetry {
  const soaks = runs.flatMap(({ transports }) => transports);
  const codes = count(soaks.flatMap((soak) => Object.entries(soak.error_codes)));
  const total = Object.values(codes).reduce((sum, value) => sum + value, 0);
  const probed = soaks.filter((soak) => soak.task_result_probe_enabled);
  const succeeded = probed.filter((soak) => soak.task_result_nonterminal_probe_ok).length;
  return {
    error_code_totals: codes,
    task_result_mode_distribution: countNames(soaks.map((soak) => soak.task_result_mode)),
    task_result_auto_retry_profile_distribution: countNames(soaks.map((soak) => soak.task_result_auto_retry_clients)),
    retryable_task_result_error_count: codes[NOT_READY] ?? 0,
    retryable_task_result_error_ratio: toRatio(codes[NOT_READY] ?? 0, total),
    task_result_nonterminal_probe_enabled_count: probed.length,
    task_result_nonterminal_probe_success_count: succeeded,
    task_result_nonterminal_probe_failure_count: probed.length - succeeded,
    task_result_nonterminal_probe_success_ratio: toRatio(succeeded, probed.length),
  };
}

function countNames(names: readonly (string | null)[]): Record<string, number> {
  return count(names.filter((name) => name !== null && name !== '').map((name) => [String(name), 1]));
}

function count(entries: readonly (readonly [string, number])[]): Record<string, number> {
  const totals = new Map<string, number>();
  for (const [name, value] of entries) totals.set(name, (totals.get(name) ?? 0) + value);
  return Object.fromEntries(totals);
}

function toRatio(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}
