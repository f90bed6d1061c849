/** Questions that belong to one call: each is put to the user once, and its answer is stored. */
import type { CallUpdate, JsonObject } from '../../dialects/host-port.ts';
import type { InputRequest } from '../../dialects/shared/questions/mcp-input.ts';
import { TaskError } from '../../errors.ts';
import { HOST_MAX_OPEN_QUESTIONS, HOST_MAX_QUESTIONS } from '../../limits.ts';
import { toFingerprint } from '../../task/json.ts';
import type { HostQuestion, HostSettings } from '../host-options.ts';
import type { CodedLedger } from '../ledger/coded-ledger.ts';
import type { CallRecord } from '../ledger/contract.ts';
import { dispatchQuestion } from './dispatch-question.ts';

export interface CallQuestionsOptions {
  readonly settings: HostSettings;
  readonly ledger: CodedLedger;
  readonly record: CallRecord;
  readonly signal: AbortSignal;
  update(update: CallUpdate): void;
}

type AskedRequest = InputRequest & Pick<HostQuestion, 'refusal' | 'name'>;

export class CallQuestions {
  readonly #options: CallQuestionsOptions;
  readonly #open = new Map<string, Promise<JsonObject>>();
  /** How often each request came since the server last started asking from the beginning. */
  readonly #seen = new Map<string, number>();
  #waiting = 0;

  constructor(options: CallQuestionsOptions) {
    this.#options = options;
  }

  /** Returns the answer that was stored earlier, or asks. */
  ask(key: string, request: InputRequest, refusal?: string): Promise<JsonObject> {
    return this.#askOnce(key, { ...request, name: key, ...(refusal !== undefined && { refusal }) });
  }

  /**
   * Like `ask`, for a request that has no name or whose name may be reused: its key is a fingerprint of the request and a count,
   * so the n-th identical request gets the answer of the n-th one before.
   */
  askUnnamed(request: InputRequest, name?: string): Promise<JsonObject> {
    const print = toFingerprint([request.method, withoutMeta(request.params ?? {})]);
    const count = (this.#seen.get(print) ?? 0) + 1;
    this.#seen.set(print, count);
    return this.#askOnce(`${print}#${count}`, { ...request, ...(name !== undefined && { name }) });
  }

  /** The server starts again from the beginning: it may repeat the questions it asked before. */
  startOver(): void {
    this.#seen.clear();
  }

  #askOnce(key: string, request: AskedRequest): Promise<JsonObject> {
    const open = this.#open.get(key) ?? this.#begin(key, request);
    this.#open.set(key, open);
    open.catch(() => this.#open.delete(key));
    return open;
  }

  async #begin(key: string, request: AskedRequest): Promise<JsonObject> {
    const { callId } = this.#options.record;
    if (this.#waiting >= HOST_MAX_OPEN_QUESTIONS || this.#open.size >= HOST_MAX_QUESTIONS) {
      const expected = `${HOST_MAX_OPEN_QUESTIONS} at a time and ${HOST_MAX_QUESTIONS} in all`;
      throw new TaskError('QUEUE_FULL', `the server asks too many questions for call ${callId}; expected ${expected}`);
    }
    this.#waiting += 1;
    try {
      return await this.#find(key, request);
    } finally {
      this.#waiting -= 1;
    }
  }

  async #find(key: string, { refusal, name, ...request }: AskedRequest): Promise<JsonObject> {
    const { ledger, record, update, settings, signal } = this.#options;
    const { callId, server, tool } = record;
    const before = await ledger.findAnswer(callId, key);
    if (before) return before;
    update({ type: 'question', key, request });
    const answer = await dispatchQuestion(settings, {
      ...request,
      ...(refusal !== undefined && { refusal }),
      ...(name !== undefined && { name }),
      server,
      callId,
      tool,
      signal,
    });
    // An answer that arrives after the call ended here is dropped; after a restart the question is asked again.
    if (signal.aborted) throw signal.reason ?? new TaskError('DETACHED', `nobody waits for call ${callId} here`);
    // Stored before it is sent, so that a restart does not ask the user again.
    const kept = await ledger.answerTo({ callId, key, schema: request.params?.requestedSchema }, answer);
    update({ type: 'answered', key });
    return kept;
  }
}

/** Removes `_meta`, which the transport fills differently each time. */
function withoutMeta({ _meta, ...params }: JsonObject): JsonObject {
  return params;
}
