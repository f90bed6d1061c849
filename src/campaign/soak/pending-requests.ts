import { isObject } from '../../is-object.ts';
import { type Answer, cut, type JsonObject } from './peers/connection.ts';

interface PendingRequest {
  answer(answer: Answer): void;
  fail(error: Error): void;
}

/**
 * How many finished requests are remembered to recognise late or duplicate responses; a server that repeats itself does so soon.
 */
const REMEMBERED = 10_000;
/** A server that sends many stray responses is identified by the first of them. */
const MAX_STRAYS = 100;

/** Matches responses to open requests, and records stray responses. */
export class PendingRequests {
  readonly strayResponses: string[] = [];
  readonly #open = new Map<string, PendingRequest>();
  /** Finished requests, with the name that a further response to each gets in the report. */
  readonly #finished = new Map<string, string>();
  #closed: Error | undefined;

  /** Returns the response to a request that is about to be sent. */
  expect(id: string, timeoutMs: number): Promise<Answer> {
    if (this.#closed) return Promise.reject(this.#closed);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#end(id, 'late_response');
        reject(new Error(`timed out waiting for response id=${id}`));
      }, timeoutMs);
      const settle = <T>(finish: (value: T) => void) => {
        return (value: T) => {
          clearTimeout(timer);
          finish(value);
        };
      };
      this.#open.set(id, { answer: settle(resolve), fail: settle(reject) });
    });
  }

  /** Accepts a message that has an id and no method. */
  settle(message: JsonObject): void {
    // A response without an id answers an unparsable message, which is allowed.
    if (message.id === null || message.id === undefined) return;
    const id = String(message.id);
    const waiter = this.#open.get(id);
    if (waiter === undefined) this.#addStray(`${this.#finished.get(id) ?? 'unasked_response'}:${id}`);
    else {
      this.#end(id, 'duplicate_response');
      waiter.answer(toAnswer(message));
    }
  }

  /** Rejects a request that will get no response. */
  reject(id: string, reason: string): void {
    const waiter = this.#open.get(id);
    if (waiter === undefined) return;
    this.#end(id, 'late_response');
    waiter.fail(new Error(reason));
  }

  /** Rejects all open requests, and all later ones. */
  close(error: Error): void {
    this.#closed ??= error;
    for (const waiter of this.#open.values()) waiter.fail(error);
    this.#open.clear();
  }

  #end(id: string, called: string): void {
    this.#open.delete(id);
    this.#finished.set(id, called);
    const [oldest] = this.#finished.keys();
    if (this.#finished.size > REMEMBERED && oldest !== undefined) this.#finished.delete(oldest);
  }

  #addStray(stray: string): void {
    if (this.strayResponses.length < MAX_STRAYS) this.strayResponses.push(cut(stray));
  }
}

function toAnswer({ result, error }: JsonObject): Answer {
  if (isObject(error)) {
    return { kind: 'error', code: cut(String(error.code ?? 'unknown')), message: cut(String(error.message ?? '')) };
  }
  if (isObject(result)) return { kind: 'result', result };
  return { kind: 'error', code: 'unknown', message: 'the answer has neither a result nor an error' };
}
