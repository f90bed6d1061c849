/** Plays a client with its model: the model follows the hand-over instructions until there is a result or its host stops it. */
import { randomUUID } from 'node:crypto';
import { isObject } from '../../is-object.ts';
import type { Result } from '../wire/read-messages.ts';
import { type Advice, readAdvice, toText } from './advice.ts';
import { GaveUp, type Peer } from './peer.ts';
import type { PersonAnswer } from './scene.ts';

/** How a question reached the client: as a request, in a repeated call, in a task, or in the words of a hand-over. */
export type QuestionPath = 'request' | 'repeat' | 'task' | 'words';

/** What was observed of one call, with times in seconds since it was made. */
export interface Story {
  /** When and how the call was first answered without a result (handed over). */
  readonly handedOver?: { readonly as: 'task' | 'words'; readonly at: number };
  readonly endedAt: number;
  /** Calls that the model made after the first. */
  readonly furtherCalls: number;
  readonly polls: number;
  readonly ways: readonly QuestionPath[];
  readonly end: 'result' | 'failure' | 'gave up' | 'stopped';
  readonly text: string;
}

interface Call {
  readonly name: string;
  readonly args: Result;
}

export interface PlayOptions {
  /** Called when the first call was answered without a result. */
  onHandOver?(as: 'task' | 'words'): void;
  /** Called with each text that the model reads: hand-overs and the final result. */
  onRead?(text: string, isFinal: boolean): void;
}

export async function playCall(peer: Peer, call: Call, options: PlayOptions = {}): Promise<Story> {
  return new Play(peer, options).run(call);
}

/** Follows an existing task, as a client does that was killed and restarted. */
export async function playResumed(peer: Peer, taskId: string): Promise<Story> {
  return new Play(peer, {}).resume(taskId);
}

// Claude Code polls a new task almost at once.
const FIRST_POLL_MS = 70;
const MAX_CALLS = 50;

class Play {
  readonly #peer: Peer;
  readonly #options: PlayOptions;
  readonly #began: number;
  readonly #ways: QuestionPath[] = [];
  #handedOver: Story['handedOver'];
  #furtherCalls = 0;
  #polls = 0;

  constructor(peer: Peer, options: PlayOptions) {
    this.#peer = peer;
    this.#options = options;
    this.#began = peer.scene.clock.elapsed();
  }

  async run(first: Call): Promise<Story> {
    try {
      return await this.#followAdvice(first);
    } catch (error) {
      if (error instanceof GaveUp) return this.#end('gave up', error.message);
      throw error;
    }
  }

  async resume(taskId: string): Promise<Story> {
    return this.#toStory(await this.#follow({ taskId, pollIntervalMs: FIRST_POLL_MS }));
  }

  async #followAdvice(first: Call): Promise<Story> {
    const { tools, client } = this.#peer;
    let call = first;
    for (let equal = 1; this.#furtherCalls < MAX_CALLS; this.#furtherCalls++) {
      const result = await this.#send(call);
      const advice = readAdvice(result, tools);
      if (advice) this.#handOver('words');
      this.#options.onRead?.(toRead(result), !advice);
      if (!advice) return this.#toStory(result);
      const next = await this.#prepareNextCall(advice);
      equal = isEqual(call, next) ? equal + 1 : 1;
      if (equal > (client.stopsAfterEqualCalls ?? Number.POSITIVE_INFINITY)) {
        return this.#end('stopped', `its host stops a model that makes ${equal - 1} equal calls`);
      }
      call = next;
    }
    throw new Error(`no result after ${MAX_CALLS} calls`);
  }

  /** Returns the model's next call, after asking its user any question in the hand-over. */
  async #prepareNextCall({ name, args, question }: Advice): Promise<Call> {
    if (!question) return { name, args };
    this.#ways.push('words');
    const answer = await this.#peer.scene.askPerson(question);
    return { name, args: { ...args, ...(answer.action === 'accept' ? { content: answer.content ?? {} } : answer) } };
  }

  /** Makes one call as the host does, which may take several messages. */
  async #send({ name, args }: Call, more: Result = {}): Promise<Result> {
    const { client } = this.#peer;
    const progressToken = client.sendsProgressToken === 'uuid' ? randomUUID() : `${name}-${this.#furtherCalls}`;
    const token = client.sendsProgressToken && { _meta: { progressToken } };
    const asTask = client.tasks === 'tasks-2025' && { task: {} };
    const params = { name, arguments: args, ...token, ...asTask, ...more };
    const before = this.#peer.asked();
    const { result, error } = await this.#peer.request('tools/call', params);
    if (this.#peer.asked() > before) this.#ways.push('request');
    if (error || !result) return toFailure(error?.message);
    if (result.resultType === 'input_required') return this.#repeat({ name, args }, result);
    if (result.resultType === 'task') return this.#follow(result);
    if (client.takesJobs && isObject(result.data) && typeof result.data.job_id === 'string')
      return this.#awaitJob(result.data.job_id);
    return 'task' in result ? this.#follow2025(result.task as Result) : result;
  }

  async #repeat(call: Call, { inputRequests, requestState }: Result): Promise<Result> {
    this.#ways.push('repeat');
    return this.#send(call, { inputResponses: await this.#answerAll(inputRequests), requestState });
  }

  async #answerAll(requests: unknown): Promise<Readonly<Record<string, PersonAnswer>>> {
    const answers: Record<string, PersonAnswer> = {};
    for (const [key, request] of Object.entries(isObject(requests) ? requests : {}))
      answers[key] = await this.#peer.answer(request);
    return answers;
  }

  /** Waits for a two-stage job, whose result arrives in a notification. */
  async #awaitJob(jobId: string): Promise<Result> {
    this.#handOver('task');
    const report = await this.#peer.jobResult(jobId);
    const text = JSON.stringify(report, null, 2);
    return { content: [{ type: 'text', text }], isError: report.success === false };
  }

  /** Follows a task of 2026-07-28: polls at the interval of the newest response. */
  async #follow(created: Result): Promise<Result> {
    const { taskId } = created;
    this.#handOver('task');
    let intervalMs = FIRST_POLL_MS;
    for (;;) {
      await this.#peer.scene.clock.elapse(intervalMs);
      const { result = {} } = await this.#poll(taskId);
      intervalMs = Number(result.pollIntervalMs);
      if (result.status === 'input_required') await this.#update(taskId, result.inputRequests);
      if (result.status === 'completed') return result.result as Result;
      if (result.status !== 'working' && result.status !== 'input_required') return toFailure(result.statusMessage);
    }
  }

  async #update(taskId: unknown, inputRequests: unknown): Promise<void> {
    this.#ways.push('task');
    const inputResponses = await this.#answerAll(inputRequests);
    await this.#peer.request('tasks/update', { taskId, inputResponses });
  }

  /** Follows a task of 2025-11-25: VS Code keeps using the first poll interval. */
  async #follow2025({ taskId, pollInterval }: Result): Promise<Result> {
    this.#handOver('task');
    const before = this.#peer.asked();
    for (;;) {
      await this.#peer.scene.clock.elapse(Number(pollInterval));
      const { result = {} } = await this.#poll(taskId);
      if (result.status === 'working' || result.status === 'input_required') continue;
      if (this.#peer.asked() > before) this.#ways.push('request');
      const ended = await this.#peer.request('tasks/result', { taskId });
      return ended.result ?? toFailure(ended.error?.message);
    }
  }

  #poll(taskId: unknown) {
    this.#polls += 1;
    return this.#peer.request('tasks/get', { taskId });
  }

  #handOver(as: 'task' | 'words'): void {
    if (this.#handedOver) return;
    this.#handedOver = { as, at: this.#now() };
    this.#options.onHandOver?.(as);
  }

  #toStory(result: Result): Story {
    return this.#end(result.isError === true ? 'failure' : 'result', toText(result));
  }

  #end(end: Story['end'], text: string): Story {
    return {
      ...(this.#handedOver && { handedOver: this.#handedOver }),
      endedAt: this.#now(),
      furtherCalls: this.#furtherCalls,
      polls: this.#polls,
      ways: this.#ways,
      end,
      text,
    };
  }

  #now(): number {
    return Math.round((this.#peer.scene.clock.elapsed() - this.#began) / 1000);
  }
}

/** The text of a result that a host gives its model: structured content only when there is no text. */
function toRead(result: Result): string {
  const text = toText(result);
  if (text.trim() !== '' || result.structuredContent === undefined) return text;
  return JSON.stringify(result.structuredContent);
}

function toFailure(text: unknown): Result {
  return { content: [{ type: 'text', text: String(text) }], isError: true };
}

function isEqual(one: Call, other: Call): boolean {
  return one.name === other.name && JSON.stringify(one.args) === JSON.stringify(other.args);
}
