/** The result of a campaign, counted while it runs, so that a night takes no more memory than a minute. */

import type { Point } from '../report/thin.ts';
import { type Evidence, VERDICTS, type Verdict, type Violation } from './evidence.ts';
import type { Fault, FaultKind } from './fault.ts';
import { listRecoveries, type RecoveryTimes, toRecoveryTimes } from './recovery.ts';
import type { RunResult } from './run-plan.ts';

export interface ShrunkPlan {
  readonly seed: number;
  readonly verdicts: readonly Verdict[];
  /** The faults that remained. */
  readonly list: readonly Fault[];
  readonly tries: number;
  readonly isShortest: boolean;
  readonly file: string;
}

export interface ChaosReport {
  readonly version: 1;
  readonly seed: number;
  /** First and last seed of all rounds. */
  readonly seeds: { readonly from: number; readonly to: number };
  readonly ms: number;
  readonly rounds: number;
  readonly passed: boolean;
  /** Number of injected faults by kind, counting only those that hit a target. */
  readonly faults: Readonly<Partial<Record<FaultKind, number>>>;
  readonly kills: number;
  readonly calls: number;
  readonly tasks: number;
  /** How calls ended: as stored, or, where the store cannot be read, as delivered to their callers. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly verdicts: Readonly<Record<Verdict, number>>;
  readonly recovery: RecoveryTimes;
  readonly violations: readonly (Violation & { readonly seed: number })[];
  readonly shrunk: readonly ShrunkPlan[];
  readonly leftOut: readonly string[];
  readonly notJudged: readonly string[];
  /** Recovery times after kills, by seconds since the start. */
  readonly recoveries: readonly Point[];
}

const NOT_JUDGED_OUTSIDE = [
  'doubled, acted-after-end: what the tools of this server did is in no journal',
  'interrupted: whether an error had a cause cannot be told from outside',
];

export class ReportBook {
  readonly #options: { readonly seed: number; readonly foreign?: unknown };
  readonly #faults: Partial<Record<FaultKind, number>> = {};
  readonly #outcomes: Record<string, number> = {};
  readonly #violations: (Violation & { readonly seed: number })[] = [];
  readonly #shrunk: ShrunkPlan[] = [];
  readonly #leftOut = new Set<string>();
  readonly #recoveries: Point[] = [];
  readonly #seeds: number[] = [];
  #startAt: number | undefined;
  #calls = 0;
  #tasks = 0;

  constructor(options: { readonly seed: number; readonly foreign?: unknown }) {
    this.#options = options;
  }

  get faults(): number {
    return Object.values(this.#faults).reduce((sum, count) => sum + count, 0);
  }

  get kills(): number {
    return this.#faults.kill ?? 0;
  }

  get violations(): number {
    return this.#violations.length;
  }

  add({ plan, evidence, violations, done, leftOut }: RunResult): void {
    this.#seeds.push(plan.seed);
    for (const [kind, count] of Object.entries(done)) addTo(this.#faults, kind, count);
    this.#violations.push(...violations.map((one) => ({ ...one, seed: plan.seed })));
    for (const reason of leftOut) this.#leftOut.add(reason);
    this.#calls += new Set(evidence.journal.flatMap((entry) => (entry.kind === 'asked' ? [entry.callId] : []))).size;
    this.#tasks += evidence.tasks?.length ?? 0;
    for (const outcome of listOutcomes(evidence)) addTo(this.#outcomes, outcome, 1);
    this.#startAt ??= evidence.journal[0]?.at ?? 0;
    const startAt = this.#startAt;
    this.#recoveries.push(...listRecoveries(evidence).map(({ at, ms }) => ({ at: (at - startAt) / 1000, value: ms })));
  }

  addShrunk(shrunk: ShrunkPlan): void {
    this.#shrunk.push(shrunk);
  }

  toReport(ms: number): ChaosReport {
    const verdicts = Object.fromEntries(VERDICTS.map((verdict) => [verdict, 0])) as Record<Verdict, number>;
    for (const { verdict } of this.#violations) verdicts[verdict] += 1;
    const { seed, foreign } = this.#options;
    return {
      version: 1,
      seed,
      seeds: { from: this.#seeds[0] ?? seed, to: this.#seeds.at(-1) ?? seed },
      ms: Math.round(ms),
      rounds: this.#seeds.length,
      // A campaign that made no call has proven nothing.
      passed: this.#violations.length === 0 && this.#seeds.length > 0 && this.#calls > 0,
      faults: this.#faults,
      kills: this.kills,
      calls: this.#calls,
      tasks: this.#tasks,
      outcomes: this.#outcomes,
      verdicts,
      recovery: toRecoveryTimes(this.#recoveries.map(({ value }) => value)),
      violations: this.#violations,
      shrunk: this.#shrunk,
      leftOut: [...this.#leftOut],
      notJudged: foreign === undefined ? [] : NOT_JUDGED_OUTSIDE,
      recoveries: this.#recoveries,
    };
  }
}

function listOutcomes({ tasks, journal }: Evidence): string[] {
  if (tasks) return tasks.map(({ told, status }) => told?.kind ?? status);
  return journal.flatMap((entry) => (entry.kind === 'delivered' ? [entry.told.kind] : []));
}

function addTo(counts: Record<string, number>, key: string, by: number): void {
  counts[key] = (counts[key] ?? 0) + by;
}
