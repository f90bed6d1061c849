/**
 * The servers behind a gateway, reached through one host.
 *
 * The host is opened when it is first needed: a worker that is about to run nothing needs none. An upstream that cannot be
 * reached is tried again, longer after each failure, and says so once; the others are not touched by it.
 */
import {
  createHost,
  type Host,
  type HostOptions,
  type HostQuestion,
  type HostTool,
  type JsonObject,
  type Reply,
  type ServerInfo,
} from '../../host/index.ts';
import { isTaskError, type ServerTaskContext, TaskError } from '../../index.ts';
import { TaskQuestions } from '../calls/ask-task.ts';
import { toLogLevel, toUpstreamMeta } from '../calls/call-meta.ts';
import { followCall } from '../calls/follow-call.ts';
import { toCallResult } from '../calls/upstream-error.ts';
import { unreachableError } from './unreachable.ts';
import type { UpstreamOptions } from './upstream.ts';

export interface UpstreamsOptions {
  readonly upstreams: Readonly<Record<string, UpstreamOptions>>;
  /** How the host is opened. */
  readonly host: HostOptions;
  /** Answers what an upstream asks outside of any call. */
  onQuestion(question: HostQuestion): Promise<JsonObject>;
}

/** A call of a tool for a task. */
export interface UpstreamCall {
  readonly upstream: string;
  readonly tool: string;
  readonly args: JsonObject;
  /** Whether it may be made again when its outcome was lost. */
  readonly isRepeatable: boolean;
}

/** How long an upstream is tried. */
export interface Patience {
  readonly signal?: AbortSignal;
  /** How often. @default without end */
  readonly tries?: number;
}

interface Running {
  readonly upstream: string;
  readonly questions: TaskQuestions;
}

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;
// About a quarter of a minute: a caller who hears why can do something about it.
const CALL_TRIES = 6;

export class Upstreams {
  readonly #options: UpstreamsOptions;
  readonly #connected = new Map<string, Promise<void>>();
  /** By the id of the call. */
  readonly #running = new Map<string, Running>();
  readonly #reached = new Set<string>();
  readonly #closing = new AbortController();
  #host: Promise<Host> | undefined;

  constructor(options: UpstreamsOptions) {
    this.#options = options;
  }

  readonly #report = (error: unknown): void => this.#options.host.onError?.(error);

  get names(): string[] {
    return Object.keys(this.#options.upstreams);
  }

  /** Whether an upstream was reached, and is its host's to keep. */
  isConnected(name: string): boolean {
    return this.#reached.has(name);
  }

  /** Connects an upstream, once; what failed can be tried again. */
  connect(name: string): Promise<void> {
    const connecting = this.#connected.get(name) ?? this.#connect(name);
    this.#connected.set(name, connecting);
    connecting.catch(() => this.#connected.delete(name));
    return connecting;
  }

  /** The same, tried again until it is there, the signal fires, the gateway is closed, or there were enough tries. */
  async connectPatiently(name: string, { signal, tries = Number.POSITIVE_INFINITY }: Patience = {}): Promise<void> {
    const over = signal ? AbortSignal.any([signal, this.#closing.signal]) : this.#closing.signal;
    let delayMs = FIRST_DELAY_MS;
    for (let tried = 1; ; tried++) {
      over.throwIfAborted();
      try {
        return await this.connect(name);
      } catch (cause) {
        if (!isTaskError(cause, 'CONNECT_FAILED')) throw cause;
        const spec = this.#options.upstreams[name]?.spec;
        if (tried >= tries) throw unreachableError(name, { cause, ...(spec && { spec }) });
      }
      await sleep(delayMs, over);
      delayMs = Math.min(MAX_DELAY_MS, delayMs * 2);
    }
  }

  async info(name: string): Promise<ServerInfo> {
    return (await this.#open()).server(name);
  }

  async tools(name: string): Promise<readonly HostTool[]> {
    return (await this.#open()).tools(name);
  }

  // biome-ignore lint/complexity/useMaxParams: whom, what, with what, and how reads best in this order
  async request(name: string, method: string, params: JsonObject, signal?: AbortSignal): Promise<Reply> {
    await this.connect(name);
    return (await this.#open()).request(name, method, params, { ...(signal && { signal }) });
  }

  async notify(name: string, method: string, params: JsonObject): Promise<void> {
    await this.connect(name);
    await (await this.#open()).notify(name, method, params);
  }

  /** Hears what an upstream tells; once it was reached. */
  async onNotification(name: string, listener: Parameters<Host['onNotification']>[1]): Promise<() => void> {
    return (await this.#open()).onNotification(name, listener);
  }

  /** Makes a call for a task, and follows it to its end. */
  async call({ upstream, tool, args, isRepeatable }: UpstreamCall, task: ServerTaskContext) {
    await this.connectPatiently(upstream, { signal: task.signal, tries: CALL_TRIES });
    const host = await this.#open();
    // The task's next attempt finds the call that this one made.
    const repeat = isRepeatable ? 'idempotent' : 'never';
    // One that has just died says nothing of itself; the call waits for it.
    const era = await host.server(upstream).then(
      (info) => info.era,
      () => 'legacy' as const,
    );
    const meta = { ...toUpstreamMeta(task), ...toLogLevel(task.meta, era) };
    const call = await host.call(upstream, tool, args, { key: task.taskId, repeat, meta });
    this.#running.set(call.callId, { upstream, questions: new TaskQuestions(task) });
    const onAbort = () => {
      const { reason } = task.signal;
      if (isOurs(reason)) call.cancel(toReason(reason)).catch(this.#report);
      else call.detach();
    };
    task.signal.addEventListener('abort', onAbort, { once: true });
    if (task.signal.aborted) onAbort();
    try {
      const [outcome] = await Promise.all([call.outcome(), followCall(call, task)]);
      await call.ack();
      return toCallResult(outcome, upstream);
    } finally {
      task.signal.removeEventListener('abort', onAbort);
      this.#running.delete(call.callId);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(new TaskError('HOST_CLOSED', 'the gateway has been closed'));
    const host = await this.#host?.catch(() => undefined);
    await host?.close();
  }

  async #connect(name: string): Promise<void> {
    const upstream = this.#options.upstreams[name];
    if (!upstream) throw new TaskError('SERVER_NOT_FOUND', `there is no upstream ${JSON.stringify(name)}`);
    const host = await this.#open();
    await host.connect(name, upstream.spec);
    this.#reached.add(name);
  }

  #open(): Promise<Host> {
    this.#host ??= createHost({
      keeper: true,
      ...this.#options.host,
      onQuestion: (question) => this.#answer(question),
    });
    return this.#host;
  }

  #answer(question: HostQuestion): Promise<JsonObject> {
    const { server, callId } = question;
    const own = callId === undefined ? undefined : this.#running.get(callId);
    // Nothing in a question names its call where all come on one line: the newest call asks most likely.
    const guess = [...this.#running.values()].findLast(({ upstream }) => upstream === server);
    const running = own ?? guess;
    const { method, params, name } = question;
    if (running) return running.questions.ask({ method, ...(params && { params }) }, name);
    return this.#options.onQuestion(question);
  }
}

/** Whether the work is to be stopped, and not only this attempt at it. */
function isOurs(reason: unknown): boolean {
  return !isTaskError(reason, 'LEASE_LOST') && !isTaskError(reason, 'PARKED');
}

function toReason(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    timer.unref();
    signal.addEventListener('abort', done, { once: true });
  });
}
