import { isObject } from '../../is-object.ts';
import { type Answer, cut, type JsonObject } from './peers/connection.ts';

interface Waiter {
  answer(answer: Answer): void;
  fail(error: Error): void;
}

/** Answers to a request older than this many are not told from unasked ones; a server that repeats itself does so soon. */
const REMEMBERED = 10_000;
/** A server that sends nothing else than strays is known by the first of them. */
const MAX_STRAYS = 100;

/** Which requests are open, and which answers came that nobody waited for. */
export class AnswerBook {
  readonly strays: string[] = [];
  readonly #open = new Map<string, Waiter>();
  /** Requests that are over, with what a further answer to each would be called. */
  readonly #over = new Map<string, string>();
  #closed: Error | undefined;

  /** The answer to a request that is about to be sent. */
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

  /** Takes a message that has an id and no method. */
  take(message: JsonObject): void {
    // Without an id it answers what could not be read, which is allowed.
    if (message.id === null || message.id === undefined) return;
    const id = String(message.id);
    const waiter = this.#open.get(id);
    if (waiter === undefined) this.#note(`${this.#over.get(id) ?? 'unasked_response'}:${id}`);
    else {
      this.#end(id, 'duplicate_response');
      waiter.answer(toAnswer(message));
    }
  }

  /** No answer to this one will come. */
  drop(id: string, reason: string): void {
    const waiter = this.#open.get(id);
    if (waiter === undefined) return;
    this.#end(id, 'late_response');
    waiter.fail(new Error(reason));
  }

  /** Nobody will be answered any more. */
  close(error: Error): void {
    this.#closed ??= error;
    for (const waiter of this.#open.values()) waiter.fail(error);
    this.#open.clear();
  }

  #end(id: string, called: string): void {
    this.#open.delete(id);
    this.#over.set(id, called);
    const [oldest] = this.#over.keys();
    if (this.#over.size > REMEMBERED && oldest !== undefined) this.#over.delete(oldest);
  }

  #note(stray: string): void {
    if (this.strays.length < MAX_STRAYS) this.strays.push(cut(stray));
  }
}

function toAnswer({ result, error }: JsonObject): Answer {
  if (isObject(error)) {
    return { kind: 'error', code: cut(String(error.code ?? 'unknown')), message: cut(String(error.message ?? '')) };
  }
  if (isObject(result)) return { kind: 'result', result };
  return { kind: 'error', code: 'unknown', message: 'the answer has neither a result nor an error' };
}
