/**
 * A closure campaign: repeats the same soaks until enough runs in a row have passed.
 *
 * A soak that cannot be started ends the campaign if it is in the first run; later it counts as a failed run.
 */
import { isTaskError } from '../../../errors.ts';
import { toRunId } from '../../report/run-id.ts';
import type { Era, Transport } from '../peers/connection.ts';
import type { PlottedRun } from '../plots.ts';
import { runSoak, type SoakRun } from '../run-soak.ts';
import type { SoakOptions } from '../soak-options.ts';
import { type ClosureReport, toClosureReport } from './closure-report.ts';
import {
  type CampaignRun,
  type ClosureLimits,
  judgeClosure,
  type TransportRun,
  toCampaignRun,
  toTransportRun,
} from './judge-closure.ts';

export interface ClosureOptions extends ClosureLimits {
  readonly maxCampaignRuns: number;
  readonly transports: readonly Transport[];
  readonly eras: readonly Era[];
  /** The options common to all soaks. */
  readonly soak: Omit<SoakOptions, 'transport' | 'era'>;
}

export interface Closure {
  readonly report: ClosureReport;
  readonly soaks: readonly SoakRun[];
  readonly plotted: readonly PlottedRun[];
}

export async function runClosure(options: ClosureOptions): Promise<Closure> {
  const startedAt = new Date();
  const campaign = new Campaign(options, toRunId(startedAt));
  while (campaign.goesOn) await campaign.runOnce();
  const report = toClosureReport({ options, runId: toRunId(startedAt), startedAt, runs: campaign.runs });
  return { report, soaks: campaign.soaks, plotted: campaign.plotted };
}

class Campaign {
  readonly runs: CampaignRun[] = [];
  readonly soaks: SoakRun[] = [];
  readonly plotted: PlottedRun[] = [];
  readonly #options: ClosureOptions;
  readonly #runId: string;
  readonly #startedAt = performance.now();

  constructor(options: ClosureOptions, runId: string) {
    this.#options = options;
    this.#runId = runId;
  }

  get goesOn(): boolean {
    const { maxCampaignRuns, streakTarget, soak } = this.#options;
    if (soak.signal?.aborted || this.runs.length >= maxCampaignRuns) return false;
    return this.#streak < streakTarget;
  }

  get #streak(): number {
    return judgeClosure(this.runs, this.#options).current_consecutive_pass_streak;
  }

  async runOnce(): Promise<void> {
    const { transports, eras } = this.#options;
    const done: TransportRun[] = [];
    for (const transport of transports) for (const era of eras) done.push(await this.#soak(transport, era));
    this.runs.push(toCampaignRun(this.runs.length + 1, done));
  }

  async #soak(transport: Transport, era: Era): Promise<TransportRun> {
    const { soak } = this.#options;
    const index = this.runs.length + 1;
    const runId = `${this.#runId}_run${String(index).padStart(2, '0')}_${transport}_${era}`;
    const offsetS = (performance.now() - this.#startedAt) / 1000;
    try {
      const run = await runSoak({ ...soak, transport, era, onProgress: this.#toProgress() }, runId);
      this.soaks.push(run);
      this.plotted.push({ name: `${transport} ${era}`, offsetS, timeline: run.timeline });
      return toTransportRun(run.report);
    } catch (error) {
      if (index === 1 || !isTaskError(error)) throw error;
      return toBroken({ transport, era, failure: `soak_error:${error.code}` });
    }
  }

  #toProgress(): SoakOptions['onProgress'] {
    const { soak, maxCampaignRuns, streakTarget, transports, eras } = this.#options;
    const whole = transports.length * eras.length * streakTarget;
    const before = this.soaks.length;
    return (part, message) => {
      const run = `run ${this.runs.length + 1} of at most ${maxCampaignRuns}, streak ${this.#streak} of ${streakTarget}`;
      soak.onProgress?.(Math.min((before + part) / whole, 1), `${run}; ${message}`);
    };
  }
}

function toBroken({ transport, era, failure }: { transport: string; era: string; failure: string }): TransportRun {
  return {
    transport,
    era,
    returncode: 1,
    outcome: 'error',
    report_run_id: null,
    p95_ms: 0,
    p95_compliant: false,
    error_codes: {},
    task_result_mode: null,
    task_result_auto_retry_clients: null,
    task_result_probe_enabled: false,
    task_result_nonterminal_probe_ok: false,
    failures: [failure],
  };
}
