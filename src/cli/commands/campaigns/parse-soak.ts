/** Builds a campaign's options from the command line and from the environment variables of the original soak harness. */
import { checkSoakOptions } from '../../../campaign/soak/check-options.ts';
import type { ClosureOptions } from '../../../campaign/soak/closure/run-closure.ts';
import type { Transport } from '../../../campaign/soak/peers/connection.ts';
import type { SoakOptions, Target } from '../../../campaign/soak/soak-options.ts';
import { parseNumber } from '../../command-line/parse-value.ts';
import type { ClosureContext, SoakContext, SoakedValues } from './campaign-commands.ts';
import { OptionReader } from './option-reader.ts';
import { parseSoakStore, withStore } from './soak-store.ts';
import { DEMO, parseTarget } from './target.ts';
import { parseWorkload } from './workload.ts';

const CLIENTS = 'claude desktop,claude code,cursor,windsurf,continue';
const MODES = ['auto', 'blocking', 'immediate_retry'] as const;
const TRANSPORTS = ['line', 'framed', 'http'] as const;
const ERAS = ['2025-11-25', '2026-07-28'] as const;
const DELAY_MS = 350;
const MOST = { calls: 100_000_000, runs: 10_000, seconds: 10_000_000, ms: 86_400_000 };

/** All options except those that only the running program knows. */
type Given<Options> = Omit<Options, 'signal' | 'onProgress'>;

export function parseSoak(values: SoakContext['values'], rest: readonly string[]): Given<SoakOptions> {
  const database = parseSoakStore(values.store);
  const target = withStore(parseTarget(values, rest), database);
  const read = new OptionReader(values, '');
  const duration = values['duration-sec'];
  const options = {
    ...toCommon(values, { target, read, isProbed: isDemo(target) }),
    iterations: read.whole('iterations', 25, { from: 1, to: MOST.calls }),
    warmupRequests: read.whole('warmup-requests', 1, { from: 0, to: MOST.calls }),
    timeoutMs: 1000 * read.number('timeout-sec', 10, { from: 0.001, to: MOST.seconds }),
    maxP95Ms: read.number('max-p95-ms', 400, { from: 0.001, to: MOST.ms }),
    serverUrl: values['server-url'] ?? 'http://127.0.0.1:9',
    transport: read.choice('transport', TRANSPORTS, target.kind === 'url' ? 'http' : 'line'),
    era: read.choice('era', ERAS, '2025-11-25'),
    ...(database && { database }),
    ...(duration !== undefined && {
      durationMs: 1000 * parseNumber(duration, '--duration-sec', { from: 0.001, to: MOST.seconds }),
    }),
  };
  checkSoakOptions(options);
  return options;
}

export function parseClosure(values: ClosureContext['values'], rest: readonly string[]): ClosureOptions {
  const target = parseTarget(values, rest);
  const read = new OptionReader(values, 'soak-');
  const own = new OptionReader(values, '');
  const streakTarget = own.whole('streak-target', 30, { from: 1, to: MOST.runs });
  const options = {
    streakTarget,
    maxCampaignRuns: own.whole('max-campaign-runs', Math.max(60, streakTarget), { from: streakTarget, to: MOST.runs }),
    transports: own.list('transports', TRANSPORTS, toSpoken(target)),
    eras: own.list('eras', ERAS, isDemo(target) ? ERAS : ['2025-11-25']),
    minP95ComplianceRatio: own.number('min-p95-compliance-ratio', 0.95, { from: 0, to: 1 }),
    openWrapperDefects: own.whole('open-wrapper-defects', 0, { from: 0, to: MOST.calls }),
    unresolvedTransportRegressions: own.whole('unresolved-transport-regressions', 0, { from: 0, to: MOST.calls }),
    unclassifiedFailures: own.whole('unclassified-failures', 0, { from: 0, to: MOST.calls }),
    soak: {
      ...toCommon(values, { target, read, isProbed: true }),
      iterations: read.whole('iterations', 25, { from: 1, to: MOST.calls }),
      warmupRequests: read.whole('warmup-requests', 2, { from: 0, to: MOST.calls }),
      timeoutMs: 1000 * read.number('timeout-sec', 15, { from: 0.001, to: MOST.seconds }),
      maxP95Ms: read.number('max-p95-ms', 5000, { from: 0.001, to: MOST.ms }),
      serverUrl: values['soak-server-url'] ?? 'http://127.0.0.1:1',
    },
  };
  for (const transport of options.transports) checkSoakOptions({ ...options.soak, transport, era: '2025-11-25' });
  return options;
}

interface CommonParts {
  readonly target: Target;
  readonly read: OptionReader;
  readonly isProbed: boolean;
}

/** Options that both commands accept, under names with different prefixes. */
function toCommon(values: SoakedValues, { target, read, isProbed }: CommonParts) {
  const own = new OptionReader(values, '');
  const delayMs = read.number('task-worker-start-delay-ms', toDefaultDelay(), { from: 0, to: MOST.ms });
  const maxDrift = values['max-drift'];
  return {
    target,
    workload: parseWorkload(values, isDemo(target) ? { delayMs } : undefined),
    failureThreshold: read.whole('failure-threshold', 1, { from: 0, to: MOST.calls }),
    cooldownSec: read.number('cooldown-sec', 30, { from: 0, to: MOST.seconds }),
    taskResultMode: read.choice('task-result-mode', MODES, toDefaultMode()),
    taskResultAutoRetryClients:
      read.text('task-result-auto-retry-clients') ?? fromEnvironment('TASK_RESULT_AUTO_RETRY_CLIENTS') ?? CLIENTS,
    probeNonterminalTaskResult: read.flag('probe-nonterminal-task-result', isProbed),
    taskWorkerStartDelayMs: delayMs,
    injectMalformedFrame: own.flag('inject-malformed-frame', true),
    killServer: own.flag('kill-server', target.kind === 'command'),
    killWorker: own.flag('kill-worker', isDemo(target)),
    keepMs: 1000 * own.number('keep-sec', 10, { from: 0, to: MOST.seconds }),
    ...(maxDrift !== undefined && { maxDrift: parseNumber(maxDrift, '--max-drift', { from: 0.001, to: 1000 }) }),
  };
}

function isDemo(target: Target): boolean {
  return target.kind === 'command' && target.label === DEMO;
}

/** It is not known whether another command's server also speaks HTTP. */
function toSpoken(target: Target): readonly Transport[] {
  if (target.kind === 'url') return ['http'];
  return isDemo(target) ? ['line', 'http'] : ['line'];
}

function toDefaultMode(): (typeof MODES)[number] {
  const given = fromEnvironment('TASK_RESULT_MODE')?.trim().toLowerCase();
  return MODES.find((mode) => mode === given) ?? 'auto';
}

function toDefaultDelay(): number {
  const given = Number(fromEnvironment('TASK_WORKER_START_DELAY_MS') ?? Number.NaN);
  return Number.isFinite(given) && given >= 0 ? given : DELAY_MS;
}

function fromEnvironment(name: string): string | undefined {
  return process.env[`HOLDFAST_${name}`] ?? process.env[`MUNINN_MCP_${name}`];
}
