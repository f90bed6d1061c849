import type { Release, TaskStore } from '../../contracts/task-contract.ts';
import { type SqliteState, transact } from '../transact.ts';
import { AdmissionControl } from './admission-control.ts';
import { answerQuestions, askQuestion, releaseLease, writeAttempt } from './attempt.ts';
import { claimTasks, hasRunnable } from './claim.ts';
import { createTask } from './create.ts';
import { toDraft } from './draft.ts';
import { listTasks } from './list.ts';
import { QueueGauge } from './queue-gauge.ts';
import { isHeldBy, readBacklog, readDurations, readEvents, readStepsOf, readTask } from './read.ts';
import { recoverWorker } from './recover.ts';
import { settleTask } from './settle.ts';
import { sweepInParts, sweepPart } from './sweep.ts';
import { findLeaving } from './task-queue.ts';

export function createSqliteTasks(state: SqliteState): TaskStore {
  const { db, writer, time, written } = state;
  const gauge = new QueueGauge();
  return {
    async create(task, options) {
      const draft = toDraft(task, options);
      const admission = new AdmissionControl(gauge, task, options);
      admission.refresh(db);
      return transact(state, 'submit', ({ db }) =>
        createTask({ db, written, ...time.readInOrder() }, draft, admission),
      );
    },
    get: async (ref) => readTask(db, ref),
    list: async (filter) => listTasks(db, filter),
    async claim(request) {
      // Writes still queued here may make a task runnable. With none, this read avoids taking the write lock for nothing.
      if (writer.isIdle && !hasRunnable({ db, written, ...time.read() }, request)) return [];
      return transact(state, 'claim', (tx) => claimTasks(tx, request));
    },
    holds: async (lease) => isHeldBy(db, lease),
    write: (lease, change) =>
      transact(state, change.step ? 'step' : 'progress', (tx) => writeAttempt(tx, lease, change)),
    ask: (lease, question) => transact(state, 'ask', (tx) => askQuestion(tx, lease, question)),
    answer: (taskId, answers, by) => transact(state, 'answer', (tx) => answerQuestions(tx, taskId, { answers, by })),
    async release(lease, how) {
      // Most ended tasks are in no queue: this read avoids taking the write lock for nothing.
      if (how.how === 'leave-queue' && writer.isIdle && !findLeaving(db, lease)) return false;
      return transact(state, toReleaseName(how), (tx) => releaseLease(tx, lease, how));
    },
    settle: (target, settlement) =>
      transact(state, target.fence === undefined ? 'cancel' : 'settle', (tx) => settleTask(tx, target, settlement)),
    recover: (dead) => transact(state, 'recover', (tx) => recoverWorker(tx, dead)),
    sweep: (request) => sweepInParts(request, (part) => transact(state, 'sweep', (tx) => sweepPart(tx, part))),
    events: async (taskId, afterSeq, limit) => readEvents(db, taskId, { afterSeq, limit }),
    steps: async (taskId) => readStepsOf(db, taskId),
    durations: async (identity, tool, principal) => readDurations(db, { identity, tool, principal }),
    backlog: async (identity) => db.snapshot(() => readBacklog(db, identity)),
  };
}

function toReleaseName(how: Release): string {
  if (how.how !== 'requeue') return how.how;
  return how.reason === 'handed-back' ? 'hand-back' : 'retry';
}
