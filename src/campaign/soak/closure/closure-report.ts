import { toTargetLabel } from '../soak-report.ts';
import { type Telemetry, toTelemetry } from './closure-telemetry.ts';
import { type CampaignRun, judgeClosure, type Verdict } from './judge-closure.ts';
import type { ClosureOptions } from './run-closure.ts';

export interface ClosureReport {
  readonly run_id: string;
  readonly started_at: string;
  readonly completed_at: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly results: Verdict & {
    readonly telemetry: Telemetry;
    readonly attempted_campaign_runs: number;
    readonly campaign_runs: readonly CampaignRun[];
  };
}

interface ReportParts {
  readonly options: ClosureOptions;
  readonly runId: string;
  readonly startedAt: Date;
  readonly runs: readonly CampaignRun[];
}

export function toClosureReport({ options, runId, startedAt, runs }: ReportParts): ClosureReport {
  return {
    run_id: runId,
    started_at: startedAt.toISOString(),
    completed_at: new Date().toISOString(),
    config: toConfig(options),
    results: {
      ...judgeClosure(runs, options),
      telemetry: toTelemetry(runs),
      attempted_campaign_runs: runs.length,
      campaign_runs: runs,
    },
  };
}

function toConfig(options: ClosureOptions): Record<string, unknown> {
  const { soak } = options;
  return {
    streak_target: options.streakTarget,
    max_campaign_runs: options.maxCampaignRuns,
    transports: options.transports,
    min_p95_compliance_ratio: options.minP95ComplianceRatio,
    soak_iterations: soak.iterations,
    soak_warmup_requests: soak.warmupRequests,
    soak_timeout_sec: soak.timeoutMs / 1000,
    soak_max_p95_ms: soak.maxP95Ms,
    soak_server_url: soak.serverUrl,
    soak_failure_threshold: soak.failureThreshold,
    soak_cooldown_sec: soak.cooldownSec,
    soak_task_result_mode: soak.taskResultMode,
    soak_task_result_auto_retry_clients: soak.taskResultAutoRetryClients,
    soak_probe_nonterminal_task_result: soak.probeNonterminalTaskResult,
    soak_task_worker_start_delay_ms: soak.taskWorkerStartDelayMs,
    inject_malformed_frame: soak.injectMalformedFrame,
    wrapper: toTargetLabel(soak),
    open_wrapper_defects: options.openWrapperDefects,
    unresolved_transport_regressions: options.unresolvedTransportRegressions,
    unclassified_failures: options.unclassifiedFailures,
    eras: options.eras,
    soak_tool: soak.workload.measured.tool,
    soak_expect: soak.workload.expect,
    soak_kill_server: soak.killServer,
    soak_kill_worker: soak.killWorker,
  };
}
