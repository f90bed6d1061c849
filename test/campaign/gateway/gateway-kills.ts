/** Kills the parts of a gateway at random moments, puts everything right, and asks the judge of the chaos campaign. */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readJournals, steadyNow } from '../../../dist/apps/chaos/journal.js';
import { judge } from '../../../dist/campaign/chaos/judge.js';
import { describeProcess, listMarked, signalProcess } from '../../../dist/campaign/chaos/marked.js';
import { createRandom } from '../../../dist/campaign/chaos/random.js';
import { readStoredTasks } from '../../../dist/campaign/chaos/read-store.js';
import type { DeliveredOutcome, JournalEntry } from '../../../src/apps/chaos/journal.ts';
import type { Evidence, StoredTask, Violation } from '../../../src/campaign/chaos/evidence.ts';
import { type GatewayStage, openGatewayStage, PARTS, type Part } from './gateway-stage.ts';

export interface GatewayKillsOptions {
  readonly dir: string;
  readonly seed: number;
  /** How long there are kills. */
  readonly ms: number;
  /** How many calls are under way. */
  readonly calls: number;
  /** How long from one kill to the next, on average. */
  readonly everyMs: number;
}

export interface GatewayKills {
  readonly evidence: Evidence;
  readonly violations: readonly Violation[];
  readonly kills: Readonly<Record<Part, number>>;
}

/** A machine that is busy is slow, and that is no fault of anybody's. */
export const PATIENT = { lateMs: 240_000 };
const [START_MS, SETTLE_MS, LEAVE_MS, LOOK_MS] = [120_000, 300_000, 90_000, 250];

export async function runGatewayKills(options: GatewayKillsOptions): Promise<GatewayKills> {
  const stage = openGatewayStage(options);
  const kills: Record<Part, number> = { gateway: 0, worker: 0, upstream: 0, client: 0, keeper: 0 };
  let left: Evidence['left'] = [];
  try {
    stage.start();
    await untilTrue(() => read(stage).some(({ kind }) => kind === 'begun'), START_MS);
    await killAtRandom(stage, options, kills);
    stage.calm();
    await untilTrue(() => isSettled(stage), SETTLE_MS);
  } finally {
    await stage.close();
    await untilTrue(() => listMarked(stage.runId).length === 0, LEAVE_MS);
    left = listMarked(stage.runId).map(describeProcess);
    for (const { pid } of left) signalProcess(pid, 'SIGKILL');
    stage.journal.close();
  }
  const evidence = toEvidence(read(stage), await readStoredTasks(stage.storePath), left);
  return { evidence, violations: judge(evidence, PATIENT), kills };
}

async function killAtRandom(stage: GatewayStage, options: GatewayKillsOptions, kills: Record<Part, number>) {
  const { pick, whole } = createRandom(options.seed);
  for (const until = performance.now() + options.ms; performance.now() < until; ) {
    await pause(whole(options.everyMs / 2, options.everyMs * 1.5));
    const part = pick(PARTS);
    const found = stage.pids(part);
    if (found.length === 0) continue;
    const pid = pick(found);
    const target = part === 'gateway' ? 'server' : part === 'client' ? 'host' : 'worker';
    // Noted first: whoever reads the journal must find the cause before what it led to.
    const pids = [pid, ...(part === 'keeper' ? findKept(pid) : [])];
    stage.journal.write({ kind: 'fault', fault: 'kill', target, pids, untilAt: steadyNow() });
    if (signalProcess(pid, 'SIGKILL')) kills[part] += 1;
  }
}

/** A server loses its work with its keeper, which has its pipes, and names it on its command line. */
function findKept(keeper: number): number[] {
  const pid = Number(describeProcess(keeper).command.split(' ').at(-1));
  return Number.isInteger(pid) ? [pid] : [];
}

const read = (stage: GatewayStage): JournalEntry[] => readJournals(join(stage.dir, 'journal'));

/** Every call has its outcome, for the caller and in the store. */
async function isSettled(stage: GatewayStage): Promise<boolean> {
  const journal = read(stage);
  const delivered = new Set(journal.flatMap((entry) => (entry.kind === 'delivered' ? [entry.callId] : [])));
  const refused = new Set(journal.flatMap((entry) => (entry.kind === 'refused' ? [entry.callId] : [])));
  const isPromised = (entry: JournalEntry) =>
    entry.kind === 'acknowledged' || (entry.kind === 'asked' && entry.by === 'client');
  const waits = journal.filter(isPromised) as { readonly callId: string }[];
  if (waits.some(({ callId }) => !delivered.has(callId) && !refused.has(callId))) return false;
  // Somebody else may be writing at this very moment.
  const tasks = await readStoredTasks(stage.storePath).catch(() => undefined);
  return tasks?.every(({ isEnded }) => isEnded) ?? false;
}

async function untilTrue(isTrue: () => boolean | Promise<boolean>, ms: number): Promise<void> {
  for (const until = performance.now() + ms; performance.now() < until; await pause(LOOK_MS)) {
    if (await isTrue()) return;
  }
}

/**
 * What a server behind a gateway cannot know is put in: which task its work was for, and which attempt. To the gateway's
 * store every call may be taken up again; whether its work may be repeated is what the asker said.
 */
function toEvidence(journal: readonly JournalEntry[], stored: readonly StoredTask[], left: Evidence['left']): Evidence {
  const repeatable = new Set(
    journal.flatMap((entry) => (entry.kind === 'asked' && entry.repeatable ? [entry.callId] : [])),
  );
  const tasks = stored.map((task) => ({
    ...task,
    idempotent: repeatable.has(task.callId),
    ...(task.told && { told: toHonest(task.told) }),
  }));
  const taskIds = new Map(tasks.map(({ callId, taskId }) => [callId, taskId]));
  const begun = new Map<string, number>();
  const named = journal.map((entry) => {
    if (entry.kind !== 'begun' && entry.kind !== 'finished') return entry;
    const attempt = (begun.get(entry.callId) ?? 0) + (entry.kind === 'begun' ? 1 : 0);
    begun.set(entry.callId, attempt);
    return { ...entry, attempt, taskId: taskIds.get(entry.callId) ?? '' };
  });
  return { journal: named, tasks, left };
}

/** A gateway ends a task whose upstream died with an error that says so. */
function toHonest(told: DeliveredOutcome): DeliveredOutcome {
  return told.kind === 'error' && /INTERRUPTED|^Interrupted|outcome unknown/.test(`${told.code} ${told.text}`)
    ? { ...told, kind: 'interrupted' }
    : told;
}
