import assert from 'node:assert/strict';
import type { Store } from '../../src/store/contract.ts';
import type { TaskEvent } from '../../src/task/event.ts';
import type { Task } from '../../src/task/record.ts';
import { isTerminal } from '../../src/task/status.ts';
import type { Model, ModelTask } from './history-model.ts';

/** The store knows the tasks of the model, tells of each the same, and breaks no rule that always holds. */
export async function checkAgreement(model: Model, store: Store): Promise<void> {
  const { tasks } = await store.tasks.list({ limit: 1000 });
  assert.deepEqual(tasks.map(outline), model.tasks.map(outlineOf).reverse());
  for (const task of tasks) checkHistory(task, await store.tasks.events(task.taskId, 0, 1000), model);
  const waiting = model.tasks.filter((task) => task.status === 'queued');
  const leased = model.tasks.filter((task) => task.worker !== undefined).length;
  const nextRunAt = Math.min(...waiting.map((task) => task.runAt));
  const backlog = { queued: waiting.length, leased, ...(waiting.length > 0 && { nextRunAt }) };
  assert.deepEqual(await store.tasks.backlog('reports'), backlog);
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
    progress: task.progress?.value,
    outcome: outcome?.kind === 'expired' ? `expired ${outcome.was}` : outcome?.kind,
    args: task.args,
    open: questions.filter((question) => question.answer === undefined).map((question) => question.key),
    answered: questions.filter((question) => question.answer !== undefined).map((question) => question.key),
  };
}

function outlineOf(task: ModelTask): ReturnType<typeof outline> {
  const { taskId, status, attempt, fence, worker, runAt, endedAt, outcome, progress, questions, ttlMs } = task;
  return {
    ...{ taskId, attempt, fence, worker, runAt, endedAt, progress },
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
