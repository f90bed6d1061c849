import { isTaskError } from '../../errors.ts';
import { RPC_CODES } from '../../rpc-codes.ts';
import { type HostPort, isLineFailure, type JsonObject } from '../host-port.ts';
import type { InputRequest } from '../shared/questions/mcp-input.ts';

// Stops a program that gives the same rejected answer each time from doing so for ever.
const MAX_REFUSALS = 5;

/**
 * The questions of one task: each is put to the user once, and its answer is sent until the server accepts it.
 *
 * A question whose answer the server rejects is asked again, under a new key.
 */
export class InputResponder {
  readonly #taskId: string;
  readonly #port: HostPort;
  readonly #onChange: () => void;
  readonly #busy = new Set<string>();
  /** Keys whose answers the server has accepted, even if it still shows the question for a while. */
  readonly #delivered = new Set<string>();
  /** Why answers were rejected, by key, newest last. */
  readonly #refusals = new Map<string, readonly string[]>();
  #failure: { readonly error: unknown } | undefined;

  constructor(taskId: string, port: HostPort, onChange: () => void) {
    this.#taskId = taskId;
    this.#port = port;
    this.#onChange = onChange;
  }

  /** Throws what makes an answer impossible, so that the follower of the task does not wait for it. */
  throwIfFailed(): void {
    if (this.#failure) throw this.#failure.error;
  }

  answer(requests: JsonObject): void {
    for (const [key, request] of Object.entries(requests)) {
      if (this.#busy.has(key) || this.#delivered.has(key)) continue;
      this.#busy.add(key);
      void this.#answerOne(key, request as unknown as InputRequest);
    }
  }

  async #answerOne(key: string, request: InputRequest): Promise<void> {
    const before = this.#refusals.get(key);
    try {
      await this.#deliver(key, request);
    } catch (error) {
      if (!isLineFailure(error) && !isTaskError(error, 'DETACHED')) this.#failure = { error };
    } finally {
      this.#busy.delete(key);
      // A rejection changes nothing that the server notifies of, so the follower is woken to ask the question again.
      if (this.#failure || this.#delivered.has(key) || this.#refusals.get(key) !== before) this.#onChange();
    }
  }

  async #deliver(key: string, request: InputRequest): Promise<void> {
    const refusals = this.#refusals.get(key) ?? [];
    const isLast = refusals.length >= MAX_REFUSALS;
    if (isLast) this.#reportDismissed(key);
    const answer = isLast ? ({ action: 'cancel' } as const) : await this.#ask(key, request, refusals);
    const inputResponses = { [key]: answer };
    const reply = await this.#port.request('tasks/update', { taskId: this.#taskId, inputResponses });
    if (reply.kind === 'result' || isLast) this.#delivered.add(key);
    else if (reply.error.code === RPC_CODES.INVALID_PARAMS) this.#refusals.set(key, [...refusals, reply.error.message]);
  }

  #ask(key: string, request: InputRequest, refusals: readonly string[]): Promise<JsonObject> {
    const turn = refusals.length + 1;
    return this.#port.ask(turn === 1 ? key : `${key}#${turn}`, request, refusals.at(-1));
  }

  #reportDismissed(key: string): void {
    const message = `question ${JSON.stringify(key)} is dismissed: the server refused ${MAX_REFUSALS} answers to it`;
    this.#port.update({ type: 'status', status: 'input_required', message });
  }
}
