import { type LatencySummary, round, summarizeLatency } from '../report/percentile.ts';
import type { Drift } from './drift.ts';
import type { Findings } from './findings.ts';
import type { TaskResultProbe } from './probes.ts';
import type { SoakOptions } from './soak-options.ts';
import type { Kill, Sample, Timeline } from './timeline.ts';

/** A report for programs. Field names are those of the harness that soaks come from, as far as it has the field. */
export interface SoakReport {
  readonly run_id: string;
  readonly started_at: string;
  readonly completed_at: string;
  readonly outcome: 'pass' | 'fail';
  readonly config: SoakConfig;
  readonly results: {
    readonly malformed_probe_ok: boolean;
    readonly task_result_probe: TaskResultProbe;
    readonly error_codes: Readonly<Record<string, number>>;
    readonly latency: LatencySummary;
    readonly failures: readonly string[];

    readonly failure_count: number;
    readonly kills: readonly Kill[];
    readonly drift: Drift;
    readonly samples: readonly Sample[];
  };
}

export interface SoakConfig {
  readonly iterations: number;
  readonly warmup_requests: number;
  readonly timeout_sec: number;
  readonly transport: string;
  readonly server_url: string;
  readonly failure_threshold: number;
  readonly cooldown_sec: number;
  readonly max_p95_ms: number;
  readonly task_result_mode: string;
  readonly task_result_auto_retry_clients: string;
  readonly probe_nonterminal_task_result: boolean;
  readonly task_worker_start_delay_ms: number;
  readonly inject_malformed_frame: boolean;
  readonly wrapper: string;

  readonly era: string;
  readonly tool: string;
  readonly expect: string;
  readonly duration_sec: number | null;
  readonly kill_server: boolean;
  readonly kill_worker: boolean;
  readonly max_drift: number;
  readonly keep_sec: number;
}

interface ReportParts {
  readonly options: SoakOptions;
  readonly runId: string;
  readonly startedAt: Date;
  readonly findings: Findings;
  readonly timeline: Timeline;
  readonly drift: Drift;
}

/** When a server does not respond at all, the first failures are enough. */
const SHOWN_FAILURES = 1000;
/** Enough to show the course of a run. */
const SHOWN_SAMPLES = 200;

export function toSoakReport({ options, runId, startedAt, findings, timeline, drift }: ReportParts): SoakReport {
  const { failures, errorCodes, malformedProbeOk, probe } = findings;
  return {
    run_id: runId,
    started_at: startedAt.toISOString(),
    completed_at: new Date().toISOString(),
    outcome: failures.length === 0 ? 'pass' : 'fail',
    config: toConfig(options, drift),
    results: {
      malformed_probe_ok: malformedProbeOk,
      task_result_probe: probe,
      error_codes: Object.fromEntries(errorCodes),
      latency: summarizeLatency(timeline.latencies.map(({ value }) => value)),
      failures: failures.slice(0, SHOWN_FAILURES),
      failure_count: failures.length,
      kills: timeline.kills.map((kill) => ({
        ...kill,
        at: round(kill.at),
        recovery_ms: kill.recovery_ms === null ? null : round(kill.recovery_ms),
      })),
      drift,
      samples: toFew(timeline.samples).map((sample) => ({ ...sample, at: round(sample.at) })),
    },
  };
}

function toConfig(options: SoakOptions, drift: Drift): SoakConfig {
  return {
    iterations: options.iterations,
    warmup_requests: options.warmupRequests,
    timeout_sec: options.timeoutMs / 1000,
    transport: options.transport,
    server_url: options.serverUrl,
    failure_threshold: options.failureThreshold,
    cooldown_sec: options.cooldownSec,
    max_p95_ms: options.maxP95Ms,
    task_result_mode: options.taskResultMode,
    task_result_auto_retry_clients: options.taskResultAutoRetryClients,
    probe_nonterminal_task_result: options.probeNonterminalTaskResult,
    task_worker_start_delay_ms: options.taskWorkerStartDelayMs,
    inject_malformed_frame: options.injectMalformedFrame,
    wrapper: toTargetLabel(options),
    era: options.era,
    tool: options.workload.measured.tool,
    expect: options.workload.expect,
    duration_sec: options.durationMs === undefined ? null : options.durationMs / 1000,
    kill_server: options.killServer,
    kill_worker: options.killWorker,
    max_drift: drift.max_drift,
    keep_sec: options.keepMs / 1000,
  };
}

/** Names a server in reports: its command line, or its URL without parts that may be secret. */
export function toTargetLabel({ target }: Pick<SoakOptions, 'target'>): string {
  if (target.kind === 'command') return target.label;
  const { origin, pathname } = new URL(target.place.url);
  return `${origin}${pathname}`;
}

function toFew(samples: readonly Sample[]): readonly Sample[] {
  const step = Math.ceil(samples.length / SHOWN_SAMPLES);
  return samples.filter((_, at) => at % step === 0);
}
