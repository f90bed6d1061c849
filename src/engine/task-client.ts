import { type Clock, systemClock } from '../clock.ts';
import { TaskError } from '../errors.ts';
import { invalidField } from '../invalid-field.ts';
import type { Store } from '../store/contract.ts';
import type { TaskFilter, TaskPage } from '../store/contracts/task-contract.ts';
import type { Actor, ClientName } from '../task/actor.ts';
import type { ArtifactPart, ArtifactRange } from '../task/artifact.ts';
import { type EventGap, type TaskEvent, withGaps } from '../task/event.ts';
import type { Outcome } from '../task/outcome.ts';
import { type Answer, isOpen } from '../task/question.ts';
import type { Task } from '../task/record.ts';
import { isTerminal } from '../task/status.ts';
import { toValueText } from '../text/value-text.ts';
import { toActor } from './actor.ts';
import { checkAnswer } from './attempts/question-form.ts';
import type { Audit } from './audit.ts';
import { ChangeRouter } from './change-router.ts';
import { type RerunChanges, type RerunRules, rerunTask } from './intake/rerun.ts';
import { awaitOutcome, waitKeepingAlive } from './outcomes/await-outcome.ts';
import { LOCAL, OPERATOR, type Principal } from './principal.ts';
import { readArtifact } from './read-artifact.ts';
import { type StoreView, toStoreView } from './store-view.ts';

export { LOCAL, OPERATOR, type Principal } from './principal.ts';

/** The caller of a request. */
export interface TaskClientOptions {
  /** The principal whose tasks are visible; `OPERATOR` sees all. @default 'local' */
  readonly principal?: Principal;
}

/** Who acts on a task; recorded in its events. */
export interface ActOptions extends TaskClientOptions {
  /** The client, as it calls itself. */
  readonly client?: ClientName | undefined;
}

/** From which event on a task is watched, and until when. */
export interface WatchOptions extends TaskClientOptions {
  /** Only events after this number. @default 0 */
  readonly afterSeq?: number;
  /** Ends the iteration without an error. */
  readonly signal?: AbortSignal;
}

/**
 * The operations on tasks from outside: every method checks the caller.
 *
 * For another principal's task they throw the same as for an unknown one, `TASK_NOT_FOUND`. The client of an engine also
 * finds a task by the alias it was submitted under.
 */
export interface TaskClient extends StoreView {
  /** Returns the store's time, in epoch ms: the times of its tasks are compared with it. */
  now(): number;
  /** Returns the task as it is now. */
  get(taskId: string, options?: TaskClientOptions): Promise<Task>;
  /** Returns the tasks of one principal, newest first, page by page. */
  list(filter?: Partial<TaskFilter>, options?: TaskClientOptions): Promise<TaskPage>;
  /** Yields past and future events in order; ends after the task has. Trimmed events are replaced by one `gap`. */
  watch(taskId: string, options?: WatchOptions): AsyncGenerator<TaskEvent | EventGap, void, undefined>;
  /** Resolves when the task has ended. Rejects with the reason of the signal when that aborts. */
  outcome(taskId: string, options?: TaskClientOptions & { readonly signal?: AbortSignal }): Promise<Outcome>;
  /** Reads a part of an artifact of the task; see `TaskContext.artifact`. */
  artifact(taskId: string, name: string, options?: TaskClientOptions & ArtifactRange): Promise<ArtifactPart>;
  /** Ends the task as cancelled; `cancelled` is false when it had already ended. */
  cancel(
    taskId: string,
    options?: ActOptions & { readonly reason?: string },
  ): Promise<{ cancelled: boolean; task: Task }>;
  /** Answers open questions; partial answers are fine. */
  answer(
    taskId: string,
    answers: Readonly<Record<string, Answer>>,
    options?: ActOptions,
  ): Promise<{ accepted: readonly string[]; task: Task }>;
  /**
   * Runs a task that has ended once more, as a new task of the same principal; `fromStep` keeps the values of the steps
   * before it. Receivers that were notified of the first end are not notified of this one. Work that is not idempotent is
   * repeated too, because the caller asks for it.
   */
  rerun(taskId: string, options?: ActOptions & RerunChanges): Promise<Task>;
}

const PAGE = 500;

/** Options of `createTaskClient`. */
export interface TaskClientSettings {
  /** The clock; tests pass one of their own. @default the system's */
  readonly clock?: Clock;
  /** The identity whose aliases count as ids of their tasks; without it, none do. */
  readonly identity?: string;
}

/** What a client shares with the rest of its process. */
interface TaskClientParts extends TaskClientSettings {
  readonly router?: ChangeRouter;
  /** Called for every action. */
  readonly audit?: Audit | undefined;
  /** What an engine knows of its own tools; without it tasks are run again as they were. */
  readonly rules?: RerunRules | undefined;
}

/** Reads, answers and cancels the tasks of a store, without running any. */
export function createTaskClient(store: Store, options: TaskClientSettings = {}): TaskClient {
  return connectTaskClient(store, options);
}

/** Like `createTaskClient`, but on parts that its process has already. */
export function connectTaskClient(store: Store, options: TaskClientParts): TaskClient {
  const clock = options.clock ?? systemClock;
  const router = options.router ?? new ChangeRouter(store.changes, clock);

  const find = async (ref: string, { principal = LOCAL }: TaskClientOptions = {}): Promise<Task> => {
    const task = typeof ref === 'string' ? await store.tasks.get({ taskId: ref }) : undefined;
    if (task && (principal === OPERATOR || principal === task.principal)) return task;
    const known = await findByAlias(store, ref, { principal, identity: options.identity });
    if (known) return known;
    throw new TaskError('TASK_NOT_FOUND', `there is no task ${toValueText(ref)}`);
  };

  return {
    ...toStoreView(store, router),
    now: () => store.time().now,
    get: find,
    list: (filter = {}, access = {}) => list(store, filter, access),

    async *watch(ref, { afterSeq = 0, signal, ...access } = {}) {
      const { principal = LOCAL } = access;
      // A task that this process has just submitted exists, and its end will be announced: it need not be read.
      const getKnownOpenMs = () => {
        const own = router.own.find(ref, principal);
        return own ? router.knownOpenForMs(own) : 0;
      };
      const taskId = getKnownOpenMs() > 0 ? ref : (await find(ref, access)).taskId;
      const waiter = router.openChangeWaiter(taskId);
      const waitForChange = (withinMs?: number) =>
        waitKeepingAlive(waiter, { signal, ...(withinMs !== undefined && { withinMs }) });
      try {
        yield* follow(store, { taskId, afterSeq, signal, getKnownOpenMs, waitForChange });
      } finally {
        waiter.close();
      }
    },

    outcome: (ref, { signal, ...access } = {}) =>
      awaitOutcome(ref, { router, signal, principal: access.principal, find: (one) => find(one, access) }),

    async artifact(ref, name, { offset, limit, ...access } = {}) {
      const { taskId } = await find(ref, access);
      const range = { ...(offset !== undefined && { offset }), ...(limit !== undefined && { limit }) };
      return readArtifact(store.artifacts, { taskId, name }, range);
    },

    async cancel(ref, { reason = 'cancelled on request', ...access } = {}) {
      const { taskId, tool, principal } = await find(ref, access);
      const by = toActor(access.principal ?? LOCAL, access.client);
      const cancelled = await store.tasks.settle({ taskId }, { outcome: { kind: 'cancelled', reason }, by });
      if (cancelled)
        options.audit?.({ at: store.time().now, action: 'cancelled', by, taskId, tool, principal, reason });
      return { cancelled, task: await find(taskId, access) };
    },

    async answer(ref, answers, access = {}) {
      const task = await find(ref, access);
      checkAnswers(task, answers);
      const { taskId, tool, principal } = task;
      const by = toActor(access.principal ?? LOCAL, access.client);
      const result = await store.tasks.answer(taskId, withRefuser(answers, by), by);
      const keys = result?.accepted ?? [];
      if (keys.length > 0)
        options.audit?.({ at: store.time().now, action: 'answered', by, taskId, tool, principal, keys });
      return result ?? { accepted: [], task: await find(taskId, access) };
    },

    async rerun(ref, { principal, client, ...changes } = {}) {
      const task = await find(ref, principal === undefined ? {} : { principal });
      return rerunTask({ store, ...options }, task, { ...changes, by: toActor(principal ?? LOCAL, client) });
    },
  };
}

/** Adds the client's name to refused answers, so that the tool can report who refused. */
function withRefuser(answers: Readonly<Record<string, Answer>>, { client }: Actor): Record<string, Answer> {
  const toKept = (answer: Answer): Answer =>
    answer.action === 'accept' ? answer : { action: answer.action, ...(client && { by: client.name }) };
  return Object.fromEntries(Object.entries(answers).map(([key, answer]) => [key, toKept(answer)]));
}

interface AliasScope {
  readonly principal: Principal;
  readonly identity: string | undefined;
}

async function findByAlias(store: Store, alias: unknown, scope: AliasScope): Promise<Task | undefined> {
  const { principal, identity } = scope;
  if (typeof alias !== 'string' || principal === OPERATOR || identity === undefined) return undefined;
  return store.tasks.get({ alias, principal, identity });
}

async function list(
  store: Store,
  filter: Partial<TaskFilter>,
  { principal = LOCAL }: TaskClientOptions,
): Promise<TaskPage> {
  const limit = filter.limit ?? 100;
  if (!Number.isInteger(limit) || limit < 1 || limit > 1000) {
    throw invalidField('limit', limit, 'a whole number from 1 to 1000');
  }
  return store.tasks.list({ ...filter, limit, ...(principal === OPERATOR ? {} : { principal }) });
}

interface Following {
  readonly taskId: string;
  readonly afterSeq: number;
  readonly signal: AbortSignal | undefined;
  /** For how many ms it is known without a read that the task has not ended; every change since the waiter was opened wakes it. */
  readonly getKnownOpenMs: () => number;
  readonly waitForChange: (withinMs?: number) => Promise<void>;
}

async function* follow(
  store: Store,
  { taskId, afterSeq, signal, getKnownOpenMs, waitForChange }: Following,
): AsyncGenerator<TaskEvent | EventGap> {
  let cursor = afterSeq;
  while (!signal?.aborted) {
    const events = await store.tasks.events(taskId, cursor, PAGE);
    yield* withGaps(events, cursor);
    const last = events.at(-1);
    cursor = last?.seq ?? cursor;
    if (last?.type === 'ended') return;
    const knownMs = events.length < PAGE ? getKnownOpenMs() : 0;
    if (knownMs > 0) await waitForChange(knownMs);
    // After new events, the record need not be read.
    else if (last === undefined) {
      const task = await store.tasks.get({ taskId });
      if (!task || isTerminal(task.status)) return yield* followEnded(store, task, cursor);
      await waitForChange();
    }
  }
}

/** A task read as ended has all its events already; if they are missing, it has expired and its history is gone. */
async function* followEnded(
  store: Store,
  task: Task | undefined,
  cursor: number,
): AsyncGenerator<TaskEvent | EventGap> {
  if (!task) return;
  const events = await store.tasks.events(task.taskId, cursor, PAGE);
  yield* withGaps(events, cursor);
  const last = events.at(-1);
  if (last && last.type !== 'ended') yield* followEnded(store, task, last.seq);
  else if (!last && task.lastSeq > cursor) yield { type: 'gap', from: cursor + 1, to: task.lastSeq };
}

function checkAnswers(task: Task, answers: Readonly<Record<string, Answer>>): void {
  if (answers === null || typeof answers !== 'object') {
    throw new TaskError('ANSWER_INVALID', `answers is ${toValueText(answers)}; expected an object of answers by key`);
  }
  const open = new Map(task.questions.filter(isOpen).map((question) => [question.key, question]));
  for (const [key, answer] of Object.entries(answers)) {
    const question = open.get(key);
    if (!question) {
      const expected = open.size > 0 ? `open are ${[...open.keys()].join(', ')}` : 'none is open';
      throw new TaskError(
        'QUESTION_NOT_OPEN',
        `task ${task.taskId} has no open question ${toValueText(key)}; ${expected}`,
      );
    }
    checkAnswer(question, answer);
  }
}
