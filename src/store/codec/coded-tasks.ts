/**
 * A `TaskStore` whose payloads are sealed before each write and opened after each read.
 *
 * With a synchronous codec, a verb reaches the inner store in the same tick in which it was called.
 */
import { buildMaybeAsync, chain, type MaybePromise } from '../../codec/chain.ts';
import { findRedacted } from '../../codec/redaction.ts';
import type { Sealer, Secrets } from '../../codec/sealer.ts';
import { findSecretFields } from '../../codec/secret-fields.ts';
import type { SecretTree } from '../../codec/secret-tree.ts';
import type { Actor } from '../../task/actor.ts';
import { type Json, toCanonicalJson, toFingerprint } from '../../task/json.ts';
import type { Answer, Question } from '../../task/question.ts';
import type { NewTask, Task } from '../../task/record.ts';
import type { NewHold } from '../contracts/hold-contract.ts';
import type {
  AnswerResult,
  Claimed,
  CreateOptions,
  CreateResult,
  Lease,
  Rerun,
  TaskStore,
} from '../contracts/task-contract.ts';
import {
  mapAnswer,
  mapArgs,
  mapDeliver,
  mapEvent,
  mapOutcome,
  mapQuestions,
  mapRequest,
  mapStep,
  mapStopped,
  mapTask,
  type Part,
} from './parts.ts';

export interface TaskCoding {
  readonly sealer: Sealer;
  /** What `get` does with sealed answers: only the worker that runs the task needs them revealed. */
  readonly secrets: Secrets;
  /** Receives the errors of tasks that a claim gave back because they cannot be decoded here. */
  report(error: unknown): void;
}

/** How long a task that cannot be decoded here waits before it can be claimed again. */
const UNREADABLE_WAIT_MS = 60_000;

/** Fields that may contain individual secrets. */
const MAY_HAVE_SECRETS = /^(args|answer)\n/;

/** Seals and opens payloads of tasks. */
class TaskParts {
  readonly #sealer: Sealer;

  constructor(sealer: Sealer) {
    this.#sealer = sealer;
  }

  seal<T>(taskId: string, map: (part: Part) => T, secret?: SecretTree): MaybePromise<T> {
    return buildMaybeAsync((part) =>
      map((value, field) => {
        const inside = MAY_HAVE_SECRETS.test(field) ? secret : undefined;
        return part(
          () => this.#sealer.seal(value, toPayloadPlace(taskId, field), inside) as MaybePromise<typeof value>,
        );
      }),
    );
  }

  open<T>(taskId: string, map: (part: Part) => T, secrets: Secrets = 'mask'): MaybePromise<T> {
    return buildMaybeAsync((part) =>
      map((value, field) => {
        return part(
          () => this.#sealer.open(value, toPayloadPlace(taskId, field), secrets) as MaybePromise<typeof value>,
        );
      }),
    );
  }

  openTask(task: Task, secrets?: Secrets): MaybePromise<Task> {
    return this.open(task.taskId, (part) => mapTask(task, part), secrets);
  }

  /** Opens everything, secrets included: the result goes to the worker that runs the task. */
  openClaimed({ task, steps }: Claimed): MaybePromise<Claimed> {
    const openSteps = (part: Part) =>
      Object.fromEntries(Object.entries(steps).map(([name, value]) => [name, mapStep(name, value, part)]));
    return this.open(task.taskId, (part) => ({ task: mapTask(task, part), steps: openSteps(part) }), 'reveal');
  }
}

export function createCodedTasks(inner: TaskStore, { sealer, secrets, report }: TaskCoding): TaskStore {
  const parts = new TaskParts(sealer);
  return {
    create(task, { redact, queueAliases: names = [], rerun, ...options }) {
      const secret = redact && findRedacted(task.args, redact);
      const toQueueMarks = (name: string) => sealer.mark(toQueueText(name));
      const [queue, ...olderMarks] = task.queue === undefined ? [] : toQueueMarks(task.queue);
      const queueAliases = [...olderMarks, ...names.flatMap(toQueueMarks)];
      const named = queue === undefined ? task : { ...task, queue };
      const sealed = parts.seal(task.taskId, (part) => sealNew(named, rerun, part), secret);
      const whole = {
        ...options,
        ...toKeyedOptions(sealer, task, { ...options, isSecret: secret !== undefined }),
        queueAliases,
      };
      const open = (result: CreateResult) => openCreated(result, (created) => parts.openTask(created));
      return toPromise(chain(sealed, (kept) => inner.create(kept.task, { ...whole, ...kept.given }).then(open)));
    },
    async get(ref) {
      const task = await inner.get(ref);
      return task && parts.openTask(task, secrets);
    },
    async list(filter) {
      const page = await inner.list(filter);
      return { ...page, tasks: await Promise.all(page.tasks.map((task) => parts.openTask(task))) };
    },
    claim: (request) => claim(inner, { request, report, open: (claimed) => parts.openClaimed(claimed) }),
    holds: (lease) => inner.holds(lease),
    write(lease, { events, step }) {
      const sealed = parts.seal(lease.taskId, (part) => ({
        ...(events && { events: events.map((event) => mapEvent(event, part)) }),
        ...(step && { step: { name: step.name, value: mapStep(step.name, step.value, part) } }),
      }));
      return toPromise(chain(sealed, (change) => inner.write(lease, change)));
    },
    ask(lease, { key, request }) {
      const sealed = parts.seal(lease.taskId, (part) => mapRequest(key, request, part));
      return toPromise(chain(sealed, (kept) => inner.ask(lease, { key, request: kept })));
    },
    // A question that cannot be decoded cannot be answered either: which parts of the answer are secret is unknown.
    answer: (taskId, answers, by) => answer(inner, new TaskParts(sealer.toStrict()), { taskId, answers, by }),
    release(lease, how) {
      if (how.how !== 'stopped') return inner.release(lease, how);
      const sealed = parts.seal(lease.taskId, (part) => mapStopped(how.note, part));
      return toPromise(chain(sealed, (note) => inner.release(lease, { how: 'stopped', note })));
    },
    settle(target, settlement) {
      const { outcome, events } = settlement;
      const sealed = parts.seal(target.taskId, (part) => ({
        ...settlement,
        outcome: mapOutcome(outcome, part),
        ...(events && { events: events.map((event) => mapEvent(event, part)) }),
      }));
      return toPromise(chain(sealed, (kept) => inner.settle(target, kept)));
    },
    recover: (dead) => inner.recover(dead),
    sweep: (request) => inner.sweep(request),
    async events(taskId, afterSeq, limit) {
      const events = await inner.events(taskId, afterSeq, limit);
      return parts.open(taskId, (part) => events.map((event) => mapEvent(event, part)));
    },
    async steps(taskId) {
      const steps = Object.entries(await inner.steps(taskId));
      const open = (part: Part) => steps.map(([name, value]) => [name, mapStep(name, value, part)] as const);
      return Object.fromEntries(await parts.open(taskId, open));
    },
    durations: (identity, tool, principal) => inner.durations(identity, tool, principal),
    backlog: (identity) => inner.backlog(identity),
  };
}

interface Answering {
  readonly taskId: string;
  readonly answers: Readonly<Record<string, Answer>>;
  readonly by: Actor | undefined;
}

/** Seals what the question's schema marks as secret; the `answered` event shows a mask. */
async function answer(
  inner: TaskStore,
  parts: TaskParts,
  { taskId, answers, by }: Answering,
): Promise<AnswerResult | undefined> {
  const task = await inner.get({ taskId });
  if (!task) return undefined;
  const questions = await parts.open(taskId, (part) => mapQuestions(task.questions, part));
  const sealed: Record<string, Answer> = {};
  for (const [key, given] of Object.entries(answers)) {
    const secret = findSecret(questions, key, given);
    sealed[key] = await parts.seal(taskId, (part) => mapAnswer(key, given, part), secret);
  }
  const result = await inner.answer(taskId, sealed, by);
  return result && { ...result, task: await parts.openTask(result.task) };
}

/** The name that binds a sealed payload to its task and field. */
export function toPayloadPlace(taskId: string, field: string): string {
  return `task\n${taskId}\n${field}`;
}

async function toPromise<T>(value: MaybePromise<T>): Promise<T> {
  return value;
}

function sealNew(
  task: NewTask,
  rerun: Rerun | undefined,
  part: Part,
): { readonly task: NewTask; readonly given: Pick<CreateOptions, 'rerun'> } {
  const args = mapArgs(task.args, task.principal, part);
  const sealed = { ...task, args, deliver: mapDeliver(task.deliver, part) };
  if (rerun === undefined) return { task: sealed, given: {} };
  const steps = rerun.steps.map(({ name, value }) => ({ name, value: mapStep(name, value, part) }));
  return { task: sealed, given: { rerun: { ...rerun, steps } } };
}

function openCreated(result: CreateResult, openTask: (task: Task) => MaybePromise<Task>): MaybePromise<CreateResult> {
  if (result.kind !== 'created' && result.kind !== 'joined') return result;
  return chain(openTask(result.task), (task) => ({ ...result, task }));
}

/**
 * The fingerprints by which equal calls are recognised. A bare hash of a low-entropy value (a few digits) reveals it, so
 * where arguments are sealed the fingerprints are keyed. The bare one is kept to find older tasks.
 */
function toKeyedOptions(
  sealer: Sealer,
  { args, idempotencyKey, alias }: NewTask,
  options: Pick<CreateOptions, 'hold' | 'fingerprints'> & { readonly isSecret: boolean },
): Pick<CreateOptions, 'hold' | 'fingerprints'> {
  const { hold, fingerprints, isSecret } = options;
  const canBeJoined = fingerprints === undefined && (idempotencyKey ?? alias) !== undefined;
  const isKeyed = canBeJoined && (sealer.hasCodec || isSecret);
  return {
    ...(isKeyed && { fingerprints: toFingerprints(sealer, args) }),
    ...(hold && { hold: toSealedHold(sealer, hold) }),
  };
}

export function toFingerprints(sealer: Sealer, args: Json): readonly string[] {
  return [...sealer.mark(toCanonicalJson(args)), toFingerprint(args)];
}

function toSealedHold(sealer: Sealer, hold: NewHold): NewHold {
  const { key, answeredKey } = hold;
  const answered = answeredKey === undefined ? {} : { answeredKey: toHoldKey(sealer, answeredKey) };
  return { ...hold, key: toHoldKey(sealer, key), ...answered };
}

/** A queue name may contain a secret, so the store only gets a keyed mark; marks of older keys still find the queue. */
function toQueueText(queue: string): string {
  return `queue\n${queue}`;
}

export function toHoldKey(sealer: Sealer, key: string): string {
  return sealer.mark(key)[0] ?? key;
}

function findSecret(questions: readonly Question[], key: string, answer: Answer): SecretTree | undefined {
  const request = questions.find((question) => question.key === key)?.request;
  if (request?.kind !== 'form' || answer?.action !== 'accept') return undefined;
  return findSecretFields(request.schema, answer.content);
}

interface Claiming {
  readonly request: Parameters<TaskStore['claim']>[0];
  report(error: unknown): void;
  open(claimed: Claimed): MaybePromise<Claimed>;
}

/** Tasks that cannot be decoded here are given back unchanged: another process may have the key. */
async function claim(inner: TaskStore, { request, report, open }: Claiming): Promise<Claimed[]> {
  const opened: Claimed[] = [];
  for (const claimed of await inner.claim(request)) {
    try {
      opened.push(await open(claimed));
    } catch (error) {
      report(error);
      const { taskId, fence, updatedAt } = claimed.task;
      const lease: Lease = { taskId, fence, worker: request.worker };
      const runAt = updatedAt + UNREADABLE_WAIT_MS;
      await inner.release(lease, { how: 'requeue', reason: 'handed-back', runAt, countsAsAttempt: false });
    }
  }
  return opened;
}
