/**
 * Links to one question each, for a person who may see nothing else.
 *
 * - open:     the question waits; its link shows it and accepts one answer.
 * - answered: the question was answered, through the link or otherwise.
 * - over:     the task has ended without an answer, or was removed.
 * - unknown:  not a link of ours, or one kept in the memory of a process that has exited.
 *
 * The state is read from the task each time, so a link expires with its question and never works twice.
 */
import { createHash, randomBytes } from 'node:crypto';
import { TaskError } from '../../errors.ts';
import {
  type ActOptions,
  type Answer,
  isOpen,
  isTaskError,
  isTerminal,
  OPERATOR,
  type Principal,
  type Question,
  type Task,
  type TaskClient,
} from '../../index.ts';
import type { LinkedQuestion, LinkStore } from './link-store.ts';

/** What the holder of a link may see: the question and nothing else of its task. */
export type LinkState =
  | { readonly state: 'open'; readonly question: Pick<Question, 'key' | 'request'> }
  | { readonly state: 'answered' | 'over' | 'unknown' };

const CLIENT = { name: 'answer link' };
const TOKEN = /^[\w-]{43}$/;

export class AnswerLinks {
  readonly #client: TaskClient;
  readonly #store: LinkStore;

  constructor(client: TaskClient, store: LinkStore) {
    this.#client = client;
    this.#store = store;
  }

  /** Creates a token for an open question that a person can answer. */
  async make(task: Task, key: string, principal: Principal): Promise<string> {
    const question = task.questions.find((one) => one.key === key);
    if (!question || !isWaiting(task, question))
      throw new TaskError('QUESTION_NOT_OPEN', `question ${JSON.stringify(key)} is not open`);
    const { kind } = question.request;
    if (kind !== 'form' && kind !== 'url')
      throw new TaskError('INVALID_ARGUMENT', `question ${JSON.stringify(key)} is not for a person, but for a program`);
    const token = randomBytes(32).toString('base64url');
    const by = principal === OPERATOR ? {} : { principal };
    await this.#store.save(toHash(token), { taskId: task.taskId, key, ...by });
    return token;
  }

  async read(token: unknown): Promise<LinkState> {
    const link = await this.#find(token);
    return link ? this.#readState(link) : { state: 'unknown' };
  }

  /** Answers the question; returns the state of the link afterwards. */
  async answer(token: unknown, answer: Answer): Promise<LinkState> {
    const link = await this.#find(token);
    if (!link) return { state: 'unknown' };
    const before = await this.#readState(link);
    if (before.state !== 'open') return before;
    const { taskId, key } = link;
    const options: ActOptions = { principal: toMaker(link), client: CLIENT };
    const { accepted } = await this.#client.answer(taskId, { [key]: answer }, options);
    // Another answer may have arrived first; then this one was not accepted.
    if (accepted.length === 0)
      throw new TaskError('QUESTION_NOT_OPEN', 'somebody else has answered meanwhile, and this answer was not taken');
    return { state: 'answered' };
  }

  async #find(token: unknown): Promise<LinkedQuestion | undefined> {
    return typeof token === 'string' && TOKEN.test(token) ? this.#store.read(toHash(token)) : undefined;
  }

  async #readState(link: LinkedQuestion): Promise<LinkState> {
    const { taskId, key } = link;
    const task = await this.#client.get(taskId, { principal: toMaker(link) }).catch((error: unknown) => {
      if (isTaskError(error, 'TASK_NOT_FOUND')) return undefined;
      throw error;
    });
    const question = task?.questions.find((one) => one.key === key);
    if (!task || !question) return { state: 'over' };
    if (!isOpen(question)) return { state: 'answered' };
    return isWaiting(task, question)
      ? { state: 'open', question: { key, request: question.request } }
      : { state: 'over' };
  }
}

function toMaker({ principal }: LinkedQuestion): Principal {
  return principal ?? OPERATOR;
}

function isWaiting({ status }: Task, question: Question): boolean {
  return isOpen(question) && !isTerminal(status);
}

function toHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
