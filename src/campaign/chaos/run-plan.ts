/**
 * Runs one plan, from its first fault to the verdict.
 *
 * Calls are made while faults are injected. Then all faults end, calls under way get time to end, all processes are told to exit,
 * and the judge evaluates the evidence.
 */
import { setMaxListeners } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readJournals } from '../../apps/chaos/journal.ts';
import { TaskError } from '../../errors.ts';
import type { Evidence, Violation } from './evidence.ts';
import type { Fault, FaultKind } from './fault.ts';
import { createInjector } from './injector.ts';
import { judge } from './judge.ts';
import { describeProcess, listMarked, signalProcess } from './marked.ts';
import { startPlainClients } from './peers/plain-clients.ts';
import type { ChaosPlan } from './plan.ts';
import { createRandom } from './random.ts';
import { readStoredTasks, removeSchema } from './read-store.ts';
import { openStage, type Stage, type StageOptions } from './stage.ts';

export interface RunOptions extends StageOptions {
  /** How long calls may take to end after the last fault, in ms. @default 120_000 */
  readonly settleMs?: number;
  /** How long processes may take to exit when no work remains, in ms. @default 30_000 */
  readonly leaveMs?: number;
  readonly lateMs?: number;
  readonly onProgress?: (progress: RunProgress) => void;
  readonly signal?: AbortSignal;
}

export interface RunProgress {
  readonly state: 'faults' | 'settling' | 'leaving';
  readonly ms: number;
  readonly faults: number;
  readonly kills: number;
}

export interface RunResult {
  readonly plan: ChaosPlan;
  readonly evidence: Evidence;
  readonly violations: readonly Violation[];
  /** Number of injected faults by kind, counting only those that hit a target. */
  readonly done: Readonly<Partial<Record<FaultKind, number>>>;
  /** Kinds that could not be injected here, each with the reason. */
  readonly leftOut: readonly string[];
}

const POLL_MS = 250;
const START_MS = 120_000;
const MAX_SAID = 500;

export async function runPlan(plan: ChaosPlan, options: RunOptions): Promise<RunResult> {
  const stage = await openStage(options);
  try {
    return await runOnStage(stage, plan, options);
  } finally {
    if (stage.database) await removeSchema(stage.database);
  }
}

async function runOnStage(stage: Stage, plan: ChaosPlan, options: RunOptions): Promise<RunResult> {
  const ended = new AbortController();
  const { signal } = ended;
  // Not a combined signal: Node 20 may garbage-collect one before it fires.
  const onAbort = () => ended.abort();
  options.signal?.addEventListener('abort', onAbort);
  // There is one listener for each call and each fault under way.
  setMaxListeners(0, signal);
  const done: Partial<Record<FaultKind, number>> = {};
  let left: Evidence['left'] = [];
  try {
    stage.start();
    await waitForWork(stage, signal);
    await runFaults(plan, options, { stage, signal, done });
  } finally {
    options.signal?.removeEventListener('abort', onAbort);
    ended.abort();
    toReporter(options, done)('leaving', 0);
    await Promise.all([...stage.processes.values()].map((running) => running.close()));
    left = await waitForLeaving(stage, options.leaveMs ?? 30_000);
    await stage.proxy.close();
    stage.journal.close();
  }
  if (options.signal?.aborted) return { plan, evidence: { journal: [], left }, violations: [], done, leftOut: [] };
  const evidence = await collectEvidence(stage, left);
  const limits = options.lateMs === undefined ? {} : { lateMs: options.lateMs };
  return { plan, evidence, violations: judge(evidence, limits), done, leftOut: listLeftOut(plan, stage) };
}

interface RunContext {
  readonly stage: Stage;
  readonly signal: AbortSignal;
  readonly done: Partial<Record<FaultKind, number>>;
}

/** Makes calls and injects the faults, ends all faults, and waits for the calls under way. */
async function runFaults(plan: ChaosPlan, options: RunOptions, { stage, signal, done }: RunContext): Promise<void> {
  const report = toReporter(options, done);
  const clients = startPlainClients(stage, { seed: plan.seed, paceMs: options.paceMs ?? 400, signal });
  try {
    const { pick } = createRandom(plan.seed + 1);
    const injector = createInjector({ stage, pick, signal, onPoison: clients.poison });
    await injectAll(plan, { inject: injector.inject, done, report, signal });
    injector.lift();
    stage.calm();
    clients.calm();
    await waitForOutcomes(stage, { ms: options.settleMs ?? 120_000, report, isDone: () => clients.isDone, signal });
  } finally {
    clients.stop();
    await clients.ended;
  }
}

type Report = (state: RunProgress['state'], ms: number) => void;

function toReporter({ onProgress }: RunOptions, done: Partial<Record<FaultKind, number>>): Report {
  return (state, ms) => {
    const faults = Object.values(done).reduce((sum, count) => sum + count, 0);
    onProgress?.({ state, ms, faults, kills: done.kill ?? 0 });
  };
}

/** Waits for the first call, because a fault before it would prove nothing. */
async function waitForWork(stage: Stage, signal: AbortSignal): Promise<void> {
  const startAt = performance.now();
  const hasWork = () =>
    readJournals(join(stage.dir, 'journal')).some(({ kind, by }) => kind === 'acknowledged' && by === 'host');
  while (!hasWork() && !signal.aborted) {
    if (performance.now() - startAt > START_MS) throw new TaskError('CONNECT_FAILED', toNoWork(stage));
    await pause(POLL_MS);
  }
}

/** Includes the server's output, which helps a user who gave a wrong command. */
function toNoWork({ dir, foreign }: Stage): string {
  const log = readFileSync(join(dir, foreign ? 'host.log' : 'server.log'), 'utf8').trim();
  const said = log === '' ? 'it said nothing' : `it said: ${log.slice(-MAX_SAID)}`;
  return `no call was taken on within ${START_MS / 1000} s; the server does not start, or has no such tool (${said})`;
}

interface InjectOptions {
  readonly inject: (fault: Fault) => Promise<boolean>;
  readonly done: Partial<Record<FaultKind, number>>;
  readonly report: Report;
  readonly signal: AbortSignal;
}

async function injectAll({ faults, ms }: ChaosPlan, { inject, done, report, signal }: InjectOptions): Promise<void> {
  const startAt = performance.now();
  const until = (atMs: number) =>
    pause(Math.max(0, startAt + atMs - performance.now()), undefined, { signal }).catch(() => undefined);
  const underWay: Promise<void>[] = [];
  for (const fault of faults) {
    await until(fault.atMs);
    if (signal.aborted) break;
    underWay.push(
      inject(fault).then((isDone) => {
        if (isDone) done[fault.kind] = (done[fault.kind] ?? 0) + 1;
      }),
    );
    report('faults', performance.now() - startAt);
  }
  await until(ms);
  await Promise.all(underWay);
}

interface SettleOptions {
  readonly ms: number;
  readonly report: Report;
  readonly isDone: () => boolean;
  readonly signal: AbortSignal;
}

/** Waits until every call has its outcome; calls without one are left to the judge. */
async function waitForOutcomes(stage: Stage, { ms, report, isDone, signal }: SettleOptions): Promise<void> {
  const startAt = performance.now();
  while (performance.now() - startAt < ms && !signal.aborted) {
    if (isDone() && hasAllOutcomes(stage) && (await hasOnlyEnded(stage))) return;
    report('settling', performance.now() - startAt);
    await pause(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}

function hasAllOutcomes(stage: Stage): boolean {
  const journal = readJournals(join(stage.dir, 'journal'));
  const delivered = new Set(journal.flatMap((entry) => (entry.kind === 'delivered' ? [entry.callId] : [])));
  return journal.every((entry) => entry.by !== 'host' || entry.kind !== 'acknowledged' || delivered.has(entry.callId));
}

async function hasOnlyEnded(stage: Stage): Promise<boolean> {
  if (stage.foreign) return true;
  // Another process may be creating or moving the file right now.
  const tasks = await readStoredTasks(stage.database ?? stage.storePath).catch(() => undefined);
  return tasks?.every(({ isEnded }) => isEnded) ?? false;
}

/** Returns processes that did not exit by themselves, and kills them, because no other process will. */
async function waitForLeaving(stage: Stage, ms: number): Promise<Evidence['left']> {
  const until = performance.now() + ms;
  for (;;) {
    const pids = listMarked(stage.runId);
    if (pids.length === 0) return [];
    if (performance.now() > until) {
      const left = pids.map(describeProcess);
      for (const pid of pids) signalProcess(pid, 'SIGKILL');
      return left;
    }
    await pause(POLL_MS);
  }
}

async function collectEvidence(stage: Stage, left: Evidence['left']): Promise<Evidence> {
  const journal = readJournals(join(stage.dir, 'journal'));
  if (stage.foreign) return { journal, left };
  return { journal, left, tasks: await readStoredTasks(stage.database ?? stage.storePath) };
}

function listLeftOut({ faults }: ChaosPlan, { shim, foreign, database }: Stage): string[] {
  const wanted = new Set(faults.map(({ kind }) => kind));
  const missing = (['clock', 'full', 'fail', 'slow'] as const).filter((kind) => !shim && wanted.has(kind));
  return [
    ...missing.map((kind) => `${kind}: no C compiler (cc) for the library that makes it, or not Linux`),
    ...(database ? ['full, fail, slow, lock: they need a store in a file'] : []),
    ...(foreign ? ['network, lock, rotate, poison: they need our own workload'] : []),
  ];
}
