import { summarizeLatency } from '../report/percentile.ts';
import type { Findings } from './findings.ts';
import type { SoakOptions } from './soak-options.ts';
import type { Timeline } from './timeline.ts';

/** Returns the failures of a run as a whole, by their report names. */
export function judgeRun(options: SoakOptions, findings: Findings, timeline: Timeline): string[] {
  const { iterations, maxP95Ms, durationMs } = options;
  const { count, p95_ms: p95Ms } = summarizeLatency(timeline.latencies.map(({ value }) => value));
  const failures: string[] = [];
  const isShort = durationMs === undefined ? count !== iterations : count < iterations;
  if (isShort) failures.push(`response_count_mismatch:${count}/${iterations}`);
  if (p95Ms > maxP95Ms) failures.push(`p95_exceeds_budget:${p95Ms.toFixed(2)}>${maxP95Ms.toFixed(2)}`);
  return [...failures, ...judgeCodes(options, findings)];
}

function judgeCodes({ workload }: SoakOptions, { errorCodes }: Findings): string[] {
  if (workload.expect === 'result') return [];
  const codes = [...errorCodes.keys()].sort();
  const failures: string[] = [];
  if (!errorCodes.has(workload.errorCode)) failures.push(`expected_error_code_${workload.errorCode}_not_observed`);
  if (codes.length > 1) failures.push(`multiple_error_codes_observed:[${codes.map((one) => `'${one}'`).join(', ')}]`);
  return failures;
}
