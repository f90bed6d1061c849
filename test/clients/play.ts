/** Plays a client with its model: the model does as it is told, until there is a result or its host stops it. */
import { randomUUID } from 'node:crypto';
import { readAdvice, toText } from './advice.ts';
import { GaveUp, type Peer } from './peer.ts';
import type { Result } from './read-messages.ts';

/** How a question came to the client. */
export type Way = 'request' | 'repeat' | 'task' | 'words';

/** What was seen of one call, with times in s since it was made. */
export interface Story {
  /** When the call was first answered without a result, and with what. */
  readonly handedOver?: { readonly as: 'task' | 'words'; readonly at: number };
  readonly endedAt: number;
  /** Calls that the model made after the first. */
  readonly furtherCalls: number;
  readonly polls: number;
  readonly ways: readonly Way[];
  readonly end: 'result' | 'failure' | 'gave up' | 'stopped';
  readonly text: string;
}

interface Call {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export interface PlayOptions {
  /** Called when the first call has been answered without a result. */
  onHandOver?(): void;
}

export async function playCall(peer: Peer, call: Call, options: PlayOptions = {}): Promise<Story> {
  return new Play(peer, options).run(call);
}

/** Follows a task that it knows from before, as a client does that was killed and comes back. */
export async function playResumed(peer: Peer, taskId: string): Promise<Story> {
  return new Play(peer, {}).resume(taskId);
}

// Claude Code looks at a new task at once.
const FIRST_POLL_MS = 70;
const MAX_CALLS = 50;

class Play {
  readonly #peer: Peer;
  readonly #options: PlayOptions;
  readonly #began: number;
  readonly #ways: Way[] = [];
  #handedOver: Story['handedOver'];
  #furtherCalls = 0;
  #polls = 0;

  constructor(peer: Peer, options: PlayOptions) {
    this.#peer = peer;
    this.#options = options;
    this.#began = peer.stage.clock.elapsed();
  }

  async run(first: Call): Promise<Story> {
    try {
      return await this.#goOn(first);
    } catch (error) {
      if (error instanceof GaveUp) return this.#end('gave up', error.message);
      throw error;
    }
  }

  async resume(taskId: string): Promise<Story> {
    return this.#toStory(await this.#follow({ taskId, pollIntervalMs: FIRST_POLL_MS }));
  }

  async #goOn(first: Call): Promise<Story> {
    const { tools, client } = this.#peer;
    let call = first;
    for (let equal = 1; this.#furtherCalls < MAX_CALLS; this.#furtherCalls++) {
      const result = await this.#send(call);
      const advice = readAdvice(result, tools);
      if (!advice) return this.#toStory(result);
      this.#handOver('words');
      if (advice.isQuestion) this.#ways.push('words');
      equal = isEqual(call, advice) ? equal + 1 : 1;
      if (equal > (client.stopsAfterEqualCalls ?? Number.POSITIVE_INFINITY)) {
        return this.#end('stopped', `its host stops a model that makes ${equal - 1} equal calls`);
      }
      call = advice;
    }
    throw new Error(`no result after ${MAX_CALLS} calls`);
  }

  /** One call as the host makes it, which may take several messages. */
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
    return 'task' in result ? this.#follow2025(result.task as Result) : result;
  }

  async #repeat(call: Call, { inputRequests, requestState }: Result): Promise<Result> {
    this.#ways.push('repeat');
    const answer = await this.#peer.answer();
    const inputResponses = Object.fromEntries(Object.keys(inputRequests as object).map((key) => [key, answer]));
    return this.#send(call, { inputResponses, requestState });
  }

  /** A task of 2026-07-28: polled at the interval that the newest answer gave. */
  async #follow(created: Result): Promise<Result> {
    const { taskId } = created;
    this.#handOver('task');
    let intervalMs = FIRST_POLL_MS;
    for (;;) {
      await this.#peer.stage.clock.elapse(intervalMs);
      const { result = {} } = await this.#poll(taskId);
      intervalMs = Number(result.pollIntervalMs);
      if (result.status === 'input_required') await this.#update(taskId, result.inputRequests as object);
      if (result.status === 'completed') return result.result as Result;
      if (result.status !== 'working' && result.status !== 'input_required') return toFailure(result.statusMessage);
    }
  }

  async #update(taskId: unknown, inputRequests: object): Promise<void> {
    this.#ways.push('task');
    const answer = await this.#peer.answer();
    const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, answer]));
    await this.#peer.request('tasks/update', { taskId, inputResponses });
  }

  /** A task of 2025-11-25: VS Code goes by the first interval for good. */
  async #follow2025({ taskId, pollInterval }: Result): Promise<Result> {
    this.#handOver('task');
    const before = this.#peer.asked();
    for (;;) {
      await this.#peer.stage.clock.elapse(Number(pollInterval));
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
    this.#options.onHandOver?.();
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
    return Math.round((this.#peer.stage.clock.elapsed() - this.#began) / 1000);
  }
}

function toFailure(text: unknown): Result {
  return { content: [{ type: 'text', text: String(text) }], isError: true };
}

function isEqual(one: Call, other: Call): boolean {
  return one.name === other.name && JSON.stringify(one.args) === JSON.stringify(other.args);
}
