import { isTaskError } from '../../errors.ts';
import { RPC_CODES } from '../../rpc-codes.ts';
import { type HostPort, isLineFailure, type JsonObject } from '../host-port.ts';
import type { InputRequest } from '../shared/questions/mcp-input.ts';

// A program that gives the same useless answer each time must not go on for ever.
const MAX_REFUSALS = 5;

/**
 * The questions of one task: each is put to the user once, and its answer is sent until the server has it.
 *
 * An answer that the server refuses is asked for again, under a name of its own.
 */
export class InputDesk {
  readonly #taskId: string;
  readonly #port: HostPort;
  readonly #onChange: () => void;
  readonly #busy = new Set<string>();
  /** The server has them, even if it shows the question for a while. */
  readonly #delivered = new Set<string>();
  readonly #refusals = new Map<string, number>();
  #failure: { readonly error: unknown } | undefined;

  constructor(taskId: string, port: HostPort, onChange: () => void) {
    this.#taskId = taskId;
    this.#port = port;
    this.#onChange = onChange;
  }

  /** Whoever follows the task must not wait for an answer that cannot come. */
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
    try {
      await this.#deliver(key, request);
    } catch (error) {
      if (!isLineFailure(error) && !isTaskError(error, 'DETACHED')) this.#failure = { error };
    } finally {
      this.#busy.delete(key);
      if (this.#failure || this.#delivered.has(key)) this.#onChange();
    }
  }

  async #deliver(key: string, request: InputRequest): Promise<void> {
    const turn = this.#refusals.get(key) ?? 0;
    const answer =
      turn < MAX_REFUSALS
        ? await this.#port.ask(turn === 0 ? key : `${key}#${turn + 1}`, request)
        : ({ action: 'cancel' } as const);
    const inputResponses = { [key]: answer };
    const reply = await this.#port.request('tasks/update', { taskId: this.#taskId, inputResponses });
    if (reply.kind === 'result' || turn >= MAX_REFUSALS) this.#delivered.add(key);
    else if (reply.error.code === RPC_CODES.INVALID_PARAMS) this.#refusals.set(key, turn + 1);
  }
}
