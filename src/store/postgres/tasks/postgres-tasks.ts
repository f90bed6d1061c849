import type { CreateResult, Release, TaskStore } from '../../contracts/task-contract.ts';
import type { PostgresState } from '../postgres-state.ts';
import type { Verb } from '../transactor.ts';
import { AdmissionControl, type Stored, toAdmissionReads } from './admission-control.ts';
import { answerQuestions, askQuestion, releaseLease, writeAttempt } from './attempt.ts';
import { Claims } from './claim.ts';
import { createTask } from './create.ts';
import { toDraft } from './draft.ts';
import { createTaskReads, listTasks, readBacklog, readDurations, readEvents, readStepsOf } from './read.ts';
import { recoverWorker } from './recover.ts';
import { settleTask } from './settle.ts';
import { sweep } from './sweep.ts';

export function createPostgresTasks(state: PostgresState): TaskStore {
  const { connection, transactor, reads } = state;
  const admission = new AdmissionControl();
  const claims = new Claims(state);
  const single = createTaskReads(connection);
  return {
    async create(task, options) {
      const draft = toDraft(task, options);
      const run: Verb<CreateResult> = (tx, [stored = []]) =>
        createTask(tx, { draft, admission, stored: stored[0] as Stored | undefined });
      return transactor.run('submit', run, { newTasks: 1, ahead: toAdmissionReads(task, options) });
    },
    get: (ref) => reads(() => single.get(ref)),
    list: (filter) => reads(() => listTasks(connection, filter)),
    claim: (request) => reads(() => claims.claim(request)),
    holds: (lease) => reads(() => single.holds(lease)),
    write: (lease, change) =>
      transactor.run(change.step ? 'step' : 'progress', (tx) => writeAttempt(tx, lease, change), {
        tasks: [lease.taskId],
      }),
    ask: (lease, question) =>
      transactor.run('ask', (tx) => askQuestion(tx, lease, question), { tasks: [lease.taskId] }),
    answer: (taskId, answers, by) =>
      transactor.run('answer', (tx) => answerQuestions(tx, taskId, { answers, by }), { tasks: [taskId] }),
    release: (lease, how) =>
      transactor.run(toReleaseName(how), (tx) => releaseLease(tx, lease, how), { tasks: [lease.taskId] }),
    settle: (target, settlement) =>
      transactor.run(target.fence === undefined ? 'cancel' : 'settle', (tx) => settleTask(tx, target, settlement), {
        tasks: [target.taskId],
      }),
    recover: (dead) => transactor.run('recover', (tx) => recoverWorker(tx, dead), { isAlone: true }),
    sweep: (request) => sweep(request, (part) => transactor.run('sweep', part, { isAlone: true })),
    events: (taskId, afterSeq, limit) => reads(() => readEvents(connection, taskId, { afterSeq, limit })),
    steps: (taskId) => reads(() => readStepsOf(connection, taskId)),
    durations: (identity, tool, principal) => reads(() => readDurations(connection, { identity, tool, principal })),
    backlog: (identity) => reads(() => readBacklog(connection, identity)),
  };
}

function toReleaseName(how: Release): string {
  if (how.how !== 'requeue') return how.how;
  return how.reason === 'handed-back' ? 'hand-back' : 'retry';
}
