/** Questions of an upstream as questions of the task that its call belongs to, answered through any client. */
import { createHash } from 'node:crypto';
import type { InputRequest, JsonObject } from '../../host/index.ts';
import { isTaskError, type Json, type ServerTaskContext, TaskError } from '../../index.ts';

/** Asks for one call; the same question in a later attempt has the same key, and is not asked again. */
export class TaskQuestions {
  readonly #task: ServerTaskContext;
  readonly #seen = new Map<string, number>();

  constructor(task: ServerTaskContext) {
    this.#task = task;
  }

  /** The result of the upstream's request. */
  async ask(request: InputRequest): Promise<JsonObject> {
    try {
      return await this.#ask(request, this.#toKey(request));
    } catch (error) {
      if (!isTaskError(error, 'QUESTION_DECLINED')) throw error;
      const { action } = (error.data ?? {}) as { action?: unknown };
      if (request.method === 'elicitation/create') return { action: action === 'decline' ? 'decline' : 'cancel' };
      throw new TaskError('QUESTION_DECLINED', `${request.method} was refused by the client`, { cause: error });
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
