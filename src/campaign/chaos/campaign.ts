/**
 * Runs plans one after the other until the time is up, each on its own stage and judged separately.
 *
 * A round is short, so that a failure can be reproduced in a minute. A failed plan is stored with its journals and then shrunk:
 * run again with fewer faults as long as it fails in the same way.
 */
import { cp, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeJsonReport, writeReport } from '../report/write-report.ts';
import { type ChaosReport, ReportBook } from './chaos-report.ts';
import type { Fault, FaultKind } from './fault.ts';
import { type ChaosPlan, createPlan } from './plan.ts';
import { type RunProgress, type RunResult, runPlan } from './run-plan.ts';
import { shrink } from './shrink.ts';
import { type ForeignServer, toStageTargets } from './stage.ts';

export interface ChaosOptions {
  /** Seed of the first round; it increases by one with each round. */
  readonly seed: number;
  readonly ms: number;
  /** Where plans and journals of failed rounds are stored. */
  readonly reportDir: string;
  /** Runs this plan once, instead of generated ones. */
  readonly plan?: ChaosPlan;
  /** @default all kinds that can be injected here */
  readonly kinds?: readonly FaultKind[];
  /** A foreign server instead of our workload. */
  readonly foreign?: ForeignServer;
  /** A database for the store of our workload. @default a file */
  readonly database?: string;
  /** Faults per second. @default 1.2 */
  readonly rate?: number;
  /** Average time between two calls of each caller, in ms. @default 400 */
  readonly paceMs?: number;
  readonly lateMs?: number;
  readonly settleMs?: number;
  readonly leaveMs?: number;
  /** How often a failed plan may be run again to shrink it; 0 for never. @default 20 */
  readonly maxShrinkTries?: number;
  readonly onProgress?: (progress: ChaosProgress) => void;
  /** Stops the campaign and discards the current round. */
  readonly signal?: AbortSignal;
}

export interface ChaosProgress extends Omit<RunProgress, 'state'> {
  readonly state: RunProgress['state'] | 'shrinking';
  readonly seed: number;
  /** Milliseconds since the start of the campaign. */
  readonly totalMs: number;
  readonly violations: number;
}

const ROUND_MS = 60_000;

export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const startAt = performance.now();
  const book = new ReportBook(options);
  const isOver = () => options.signal?.aborted === true;
  for (let round = 0; !isOver(); round++) {
    const plan = options.plan ?? toRoundPlan(options, round, options.ms - (performance.now() - startAt));
    if (plan === undefined) break;
    const result = await runRound(plan, options, { startAt, book, keepIn: toPath(options, plan, 'stage') });
    if (isOver()) break;
    book.add(result);
    if (result.violations.length > 0) await keepFailure(result, options, { startAt, book });
    if (options.plan) break;
  }
  return book.toReport(performance.now() - startAt);
}

/** Returns undefined when there is no time for another round. */
function toRoundPlan(options: ChaosOptions, round: number, leftMs: number): ChaosPlan | undefined {
  const { seed, kinds, rate } = options;
  if (round > 0 && leftMs < ROUND_MS / 2) return undefined;
  const ms = Math.round(Math.min(ROUND_MS, leftMs));
  const targets = toStageTargets(options);
  return createPlan({ seed: seed + round, ms, targets, ...(kinds && { kinds }), ...(rate && { rate }) });
}

interface Running {
  readonly startAt: number;
  readonly book: ReportBook;
  /** Where store, logs and journals are copied to when violations were found. */
  readonly keepIn?: string;
}

function toPath({ reportDir }: ChaosOptions, { seed }: ChaosPlan, name: string): string {
  return join(reportDir, `round-${seed}`, name);
}

async function runRound(plan: ChaosPlan, options: ChaosOptions, running: Running): Promise<RunResult> {
  const { startAt, book, keepIn } = running;
  // The shim compares paths as the kernel reports them.
  const dir = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-chaos-')));
  const { foreign, database, paceMs, lateMs, settleMs, leaveMs, signal, onProgress } = options;
  const given = { foreign, database, paceMs, lateMs, settleMs, leaveMs, signal };
  const known = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  try {
    const result = await runPlan(plan, {
      ...known,
      dir,
      onProgress: (progress) =>
        onProgress?.({
          ...progress,
          seed: plan.seed,
          totalMs: performance.now() - startAt,
          faults: book.faults + progress.faults,
          kills: book.kills + progress.kills,
          violations: book.violations,
        }),
    });
    if (keepIn !== undefined && result.violations.length > 0) await cp(dir, keepIn, { recursive: true });
    return result;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function keepFailure(result: RunResult, options: ChaosOptions, running: Running): Promise<void> {
  const { plan, evidence, violations } = result;
  const path = (name: string) => toPath(options, plan, name);
  await writeJsonReport(path('plan.json'), plan);
  await writeJsonReport(path('violations.json'), violations);
  await writeJsonReport(path('tasks.json'), evidence.tasks ?? []);
  await writeReport(path('journal.jsonl'), evidence.journal.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
  const maxTries = options.maxShrinkTries ?? 20;
  if (maxTries === 0 || options.signal?.aborted) return;
  const verdicts = new Set(violations.map(({ verdict }) => verdict));
  const shrunk = await shrink<Fault>(plan.faults, {
    maxTries,
    async fails(faults) {
      const again = await runRound(toShorter(plan, faults), options, running);
      return options.signal?.aborted !== true && again.violations.some(({ verdict }) => verdicts.has(verdict));
    },
    onTry: () =>
      options.onProgress?.({
        state: 'shrinking',
        seed: plan.seed,
        ms: 0,
        totalMs: performance.now() - running.startAt,
        faults: running.book.faults,
        kills: running.book.kills,
        violations: running.book.violations,
      }),
  });
  const file = path('shortest-plan.json');
  await writeJsonReport(file, toShorter(plan, shrunk.list));
  running.book.addShrunk({ seed: plan.seed, verdicts: [...verdicts], ...shrunk, file });
}

const AFTER_LAST_MS = 3000;

/** After the last fault there is nothing more to wait for. */
function toShorter(plan: ChaosPlan, faults: readonly Fault[]): ChaosPlan {
  const lastMs = Math.max(0, ...faults.map(({ atMs, forMs = 0 }) => atMs + forMs));
  return { ...plan, ms: Math.min(plan.ms, lastMs + AFTER_LAST_MS), faults };
}
