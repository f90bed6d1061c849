import assert from 'node:assert/strict';
import type { Store } from '../../src/store/contract.ts';
import type { CreateResult, Share } from '../../src/store/contracts/task-contract.ts';
import type { TaskEvent } from '../../src/task/event.ts';
import type { Task } from '../../src/task/record.ts';
import { isTerminal } from '../../src/task/status.ts';
import type { FakeClock } from '../../src/testing/fake-clock.ts';
import type { Model, ModelTask } from './history-model.ts';

const PRINCIPALS = ['ada', 'bob', 'cy'];

/** The store knows the tasks of the model, tells of each the same, and breaks no rule that always holds. */
export async function checkAgreement(model: Model, store: Store): Promise<void> {
  const { tasks } = await store.tasks.list({ limit: 1000 });
  assert.deepEqual(tasks.map(outline), model.tasks.map((task) => outlineOf(task, model)).reverse());
  for (const task of tasks) checkHistory(task, await store.tasks.events(task.taskId, 0, 1000), model);
  const waiting = model.tasks.filter((task) => task.status === 'queued');
  const leased = model.tasks.filter((task) => task.worker !== undefined).length;
  const first = waiting.filter((task) => !model.isBehind(task));
  const nextRunAt = Math.min(...first.map((task) => task.runAt));
  const backlog = { queued: waiting.length, leased, ...(first.length > 0 && { nextRunAt }) };
  assert.deepEqual(await store.tasks.backlog('reports'), backlog);
  // One of them after each command is enough, and three times as fast.
  await checkShare(model, store, PRINCIPALS[model.events % PRINCIPALS.length] ?? 'ada');
}

/** A refused task changes nothing, and tells how much there is. */
async function checkShare(model: Model, store: Store, principal: string): Promise<void> {
  const waiting = await probe(store, principal, { queued: 0, storedBytes: Number.POSITIVE_INFINITY });
  assert.deepEqual(waiting, { kind: 'over-share', limit: 'queued', used: model.waiting(principal) });
  const mine = model.tasks.filter((task) => task.principal === principal);
  const stored = await probe(store, principal, { queued: Number.POSITIVE_INFINITY, storedBytes: 0 });
  const used = stored.kind === 'over-share' ? stored.used : assert.fail(`the probe was ${stored.kind}`);
  // Every row counts for something, and tombstones for no more than their row, key and reason.
  assert.ok(used >= mine.length * 1024);
  if (mine.every((task) => task.buriedAt !== undefined)) assert.ok(used <= mine.length * 1300, `${used} bytes`);
}

function probe(store: Store, principal: string, share: Share): Promise<CreateResult> {
  const of = { principal, identity: 'reports', tool: 'a', args: 0, ttlMs: 0, deliver: [] };
  const task = { ...of, taskId: 'probe', pollIntervalMs: 1, idempotent: false, maxAttempts: 1 };
  return store.tasks.create(task, { queueLimit: 1_000_000, share });
}

/** Whatever happened, a principal whose tasks are gone has nothing left. */
export async function checkNothingLeaks(
  model: Model,
  { store, clock }: { store: Store; clock: FakeClock },
): Promise<void> {
  const reason = 'the end';
  for (const { taskId } of model.tasks)
    await store.tasks.settle({ taskId }, { outcome: { kind: 'cancelled', reason } });
  // What was taken for delivery comes up again.
  await clock.advance(10_000);
  for (;;) {
    const { messages } = await store.outbox.take({ topics: ['bell'], max: 100, holdMs: 0 });
    for (const { messageId } of messages) await store.outbox.done(messageId);
    if (messages.length === 0) break;
  }
  const now = clock.now();
  await store.tasks.sweep({ expiresBefore: now, endedBefore: now, tombstonesBefore: 0, limit: 1000 });
  await store.tasks.sweep({ expiresBefore: 0, tombstonesBefore: now, limit: 1000 });
  assert.deepEqual((await store.tasks.list({ limit: 10 })).tasks, []);
  for (const principal of PRINCIPALS) {
    const left = await probe(store, principal, { queued: 0, storedBytes: 0 });
    assert.deepEqual(left, { kind: 'over-share', limit: 'queued', used: 0 });
    const bytes = await probe(store, principal, { queued: 1, storedBytes: 0 });
    assert.deepEqual(bytes, { kind: 'over-share', limit: 'storedBytes', used: 0 });
  }
}

function checkHistory(task: Task, events: readonly TaskEvent[], model: Model): void {
  assert.deepEqual(events.map(toText), model.find(task.taskId)?.events);
  const isTombstone = task.outcome?.kind === 'expired';
  const seqs = events.map((event) => event.seq);
  if (!isTombstone)
    assert.deepEqual(
      seqs,
      Array.from(seqs.keys(), (place) => place + 1),
    );
  const ends = events.filter((event) => event.type === 'ended').length;
  assert.equal(ends, isTerminal(task.status) && !isTombstone ? 1 : 0);
  if (ends === 1) assert.equal(events.at(-1)?.type, 'ended');
  assert.ok(task.attempt <= task.fence);
  assert.equal(task.status === 'working', task.status === 'working' && task.worker !== undefined);
}

function outline(task: Task) {
  const { taskId, status, attempt, fence, worker, runAt, endedAt, lastSeq, outcome, questions } = task;
  return {
    ...{ taskId, status, attempt, fence, worker, runAt, endedAt, lastSeq },
    expiresAt: task.expiresAt,
    startBy: task.startBy,
    progress: task.progress?.value,
    queue: task.queue,
    losses: task.losses ?? 0,
    outcome: outcome?.kind === 'expired' ? `expired ${outcome.was}` : outcome?.kind,
    args: task.args,
    open: questions.filter((question) => question.answer === undefined).map((question) => question.key),
    answered: questions.filter((question) => question.answer !== undefined).map((question) => question.key),
  };
}

function outlineOf(task: ModelTask, model: Model): ReturnType<typeof outline> {
  const { taskId, status, attempt, fence, worker, runAt, startBy, endedAt, outcome, progress, questions, ttlMs } = task;
  return {
    ...{ taskId, attempt, fence, worker, runAt, startBy, endedAt, progress, losses: task.losses },
    queue: model.queueOf(task),
    status: status as Task['status'],
    lastSeq: task.events.length + task.forgottenEvents,
    expiresAt: endedAt === undefined || ttlMs === null ? undefined : endedAt + ttlMs,
    outcome: task.buriedAt === undefined ? outcome : `expired ${outcome}`,
    args: task.buriedAt === undefined ? task.args : null,
    open: questions.filter((question) => question.open).map((question) => question.key),
    answered: questions.filter((question) => !question.open).map((question) => question.key),
  };
}

/** An event as the model writes it. */
function toText(event: TaskEvent): string {
  if (event.type === 'claimed') return `claimed ${event.attempt}/${event.fence}`;
  if (event.type === 'requeued') return `requeued ${event.reason}`;
  return event.type === 'ended' ? `ended ${event.outcome}` : event.type;
}
