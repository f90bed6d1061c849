/** Turns an upstream's questions into questions of the task of its call, so that any client can answer them. */
import { createHash } from 'node:crypto';
import type { InputRequest, JsonObject } from '../../host/index.ts';
import { isTaskError, type Json, type ServerTaskContext, TaskError } from '../../index.ts';

/** A question name from an upstream that is safe to show to clients. */
const NAME = /^[A-Za-z0-9_.-]{1,64}$/;

/** Asks questions for one call. A question repeated by a later attempt has the same key, so it is not asked again. */
export class TaskQuestions {
  readonly #task: ServerTaskContext;
  readonly #seen = new Map<string, number>();
  readonly #names = new Set<string>();

  constructor(task: ServerTaskContext) {
    this.#task = task;
  }

  /** Returns the result of the upstream's request; the question keeps the name that the upstream gave it. */
  async ask(request: InputRequest, name?: string): Promise<JsonObject> {
    const key = this.#toKey(request);
    try {
      return await (this.#isNew(name) ? this.#askAs(name, request, key) : this.#ask(request, key));
    } catch (error) {
      if (!isTaskError(error, 'QUESTION_DECLINED')) throw error;
      const { action } = (error.data ?? {}) as { action?: unknown };
      if (request.method === 'elicitation/create') return { action: action === 'decline' ? 'decline' : 'cancel' };
      throw new TaskError('QUESTION_DECLINED', `${request.method} was refused by the client`, { cause: error });
    }
  }

  /** Whether this name has not been used yet: a repeated name is another question, even with the same text. */
  #isNew(name: string | undefined): name is string {
    if (name === undefined || !NAME.test(name) || this.#names.has(name)) return false;
    this.#names.add(name);
    return true;
  }

  /** Falls back to a content-based key when a later attempt asks something else under a name that is already used. */
  async #askAs(name: string, request: InputRequest, key: string): Promise<JsonObject> {
    try {
      return await this.#ask(request, name);
    } catch (error) {
      if (!isTaskError(error, 'REPLAY_MISMATCH')) throw error;
      return this.#ask(request, key);
    }
  }

  async #ask({ method, params = {} }: InputRequest, key: string): Promise<JsonObject> {
    const task = this.#task;
    if (method === 'roots/list') return (await task.ask({ key, roots: true })) as JsonObject;
    const { _meta, ...asked } = params;
    if (method === 'sampling/createMessage') return (await task.ask({ key, sampling: asked as Json })) as JsonObject;
    const message = String(asked.message ?? '');
    if (asked.mode === 'url') {
      await task.ask({ key, message, url: String(asked.url) });
      return { action: 'accept' };
    }
    return { action: 'accept', content: (await task.ask({ key, message, schema: asked.requestedSchema })) as Json };
  }

  #toKey({ method, params = {} }: InputRequest): string {
    const { _meta, elicitationId, ...asked } = params;
    const print = createHash('sha256')
      .update(JSON.stringify([method, asked]))
      .digest('base64url')
      .slice(0, 16);
    const count = (this.#seen.get(print) ?? 0) + 1;
    this.#seen.set(print, count);
    return count === 1 ? print : `${print}-${count}`;
  }
}
