/**
 * Follows a task of the tasks extension: by `subscriptions/listen` where the server supports it, by polling elsewhere.
 *
 * A poll that fails loses nothing: the task is on the server, and is polled again.
 */
import { RPC_CODES } from '../../rpc-codes.ts';
import type { Json } from '../../task/json.ts';
import { type CallError, type CallOutcome, type HostPort, isLineFailure, type JsonObject } from '../host-port.ts';
import { PollBackoff } from '../shared/poll-backoff.ts';
import { PROGRESS_META } from '../shared/tasks-extension.ts';
import { withTtlBackstop } from '../shared/ttl-backstop.ts';
import type { TaskHandle2026 } from './host-half.ts';
import { InputResponder } from './input-responder.ts';

export function followTask2026(handle: TaskHandle2026, port: HostPort): Promise<CallOutcome> {
  return withTtlBackstop(port, { taskId: handle.taskId, expiresAt: handle.expiresAt }, (within) =>
    new Follower2026(handle, within).run(),
  );
}

// With a subscription, polling only makes up for lost notifications.
const BACKSTOP_MS = 600_000;
// The minimum time between two listen requests, for a server that ends each stream at once.
const MIN_LISTEN_MS = 1000;
// Errors that are final for the task or the server; any other error is treated as temporary.
const UNKNOWN_TASK = RPC_CODES.INVALID_PARAMS;
const UNKNOWN_METHOD = RPC_CODES.METHOD_NOT_FOUND;

/**
 * - none:         no subscription; the task is polled at its own interval.
 * - requested:    the listen request was sent; the task is polled until it is acknowledged.
 * - acknowledged: the task is polled once, as it may have ended before, and then only every `BACKSTOP_MS`.
 */
class Follower2026 {
  readonly #handle: TaskHandle2026;
  readonly #port: HostPort;
  readonly #pace: PollBackoff;
  readonly #responder: InputResponder;
  #subscription: 'none' | 'requested' | 'acknowledged' = 'none';
  /** The server refused the listen request. */
  #isRefused = false;
  #isCurrent = false;
  #received: JsonObject | undefined;
  #status: string | undefined;
  #shown = '';

  constructor(handle: TaskHandle2026, port: HostPort) {
    this.#handle = handle;
    this.#port = port;
    this.#pace = new PollBackoff(port.clock, handle.pollIntervalMs);
    this.#responder = new InputResponder(handle.taskId, port, () => this.#pace.wakeUp());
  }

  async run(): Promise<CallOutcome> {
    const { signal } = this.#port;
    const stops = [
      this.#port.onNotification(({ method, params }) => this.#receive(method, params)),
      this.#port.onConnected(() => {
        this.#isRefused = false;
        this.#listen();
      }),
    ];
    this.#listen();
    try {
      for (;;) {
        await this.#pace.wait(signal, this.#subscription === 'acknowledged' && this.#isCurrent ? BACKSTOP_MS : 0);
        signal.throwIfAborted();
        this.#responder.throwIfFailed();
        const outcome = await this.#look();
        if (outcome) return outcome;
      }
    } finally {
      for (const stop of stops) stop();
    }
  }

  /** Subscribes. The stream may end at any time; the task is then polled, and subscribed to again once the server answers. */
  #listen(): void {
    if (this.#subscription !== 'none' || this.#isRefused) return;
    this.#subscription = 'requested';
    const { signal, clock } = this.#port;
    const from = clock.monotonic();
    const notifications = { taskIds: [this.#handle.taskId] };
    this.#port
      .request('subscriptions/listen', { notifications }, { signal })
      .then(({ kind }) => {
        this.#isRefused = kind === 'error';
      })
      .catch(() => {})
      .finally(() => {
        const wasAcknowledged = this.#subscription === 'acknowledged';
        this.#subscription = 'none';
        const leftMs = from + MIN_LISTEN_MS - clock.monotonic();
        if (!signal.aborted && wasAcknowledged) clock.after(Math.max(0, leftMs), () => this.#pace.wakeUp());
      });
  }

  #receive(method: string, params: JsonObject): void {
    if (method === 'notifications/subscriptions/acknowledged') {
      const { taskIds } = (params.notifications ?? {}) as { taskIds?: Json };
      if (!Array.isArray(taskIds) || !taskIds.includes(this.#handle.taskId)) return;
      this.#subscription = 'acknowledged';
      this.#isCurrent = false;
    }
    if (method !== 'notifications/tasks' || params.taskId !== this.#handle.taskId) return;
    this.#received = params;
    this.#isCurrent = true;
    this.#pace.wakeUp();
  }

  async #look(): Promise<CallOutcome | undefined> {
    const received = this.#received;
    this.#received = undefined;
    if (received) return this.#see(received);
    this.#isCurrent = true;
    try {
      const reply = await this.#port.request('tasks/get', { taskId: this.#handle.taskId });
      this.#listen();
      if (reply.kind === 'result') return this.#see(reply.result);
      const { code, message } = reply.error;
      if (code !== UNKNOWN_TASK && code !== UNKNOWN_METHOD) return undefined;
      return { kind: 'interrupted', reason: `the server does not know the task any more: ${message}` };
    } catch (error) {
      if (isLineFailure(error)) return undefined;
      throw error;
    }
  }

  #see(task: JsonObject): CallOutcome | undefined {
    this.#show(task);
    const { status, statusMessage } = task;
    if (status === 'completed') {
      const { resultType, ...result } = (task.result ?? {}) as { readonly [key: string]: Json };
      return { kind: 'result', result, isError: result.isError === true };
    }
    if (status === 'failed') return { kind: 'error', error: toCallError(task) };
    if (status === 'cancelled') return { kind: 'cancelled', reason: toText(statusMessage) ?? 'cancelled' };
    this.#responder.answer((task.inputRequests ?? {}) as JsonObject);
    return undefined;
  }

  #show({ status, statusMessage, _meta }: JsonObject): void {
    const message = toText(statusMessage);
    const progress = (_meta as JsonObject | undefined)?.[PROGRESS_META];
    const shown = JSON.stringify([status, message, progress]);
    if (shown === this.#shown || typeof status !== 'string') return;
    this.#shown = shown;
    if (typeof progress === 'number') {
      this.#port.update({ type: 'progress', value: progress, ...(message !== undefined && { message }) });
      if (status === this.#status) return;
    }
    this.#status = status;
    this.#port.update({ type: 'status', status, ...(message !== undefined && { message }) });
  }
}

function toCallError({ error, statusMessage }: JsonObject): CallError {
  const { code, message, data } = (error ?? {}) as { code?: Json; message?: Json; data?: Json };
  const text = toText(message) ?? toText(statusMessage) ?? 'the task failed';
  return {
    code: typeof code === 'number' ? code : RPC_CODES.INTERNAL_ERROR,
    message: text,
    ...(data !== undefined && { data }),
  };
}

function toText(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
