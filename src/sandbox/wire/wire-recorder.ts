/**
 * Records the messages between the page's host and the gateway, by call.
 *
 * The request of a call carries the call's id as its idempotency key; later messages name the call's task, or answer a request
 * that is already known.
 */
import { isObject } from '../../is-object.ts';
import type { Direction } from './tap-fetch.ts';
import { HeadTailBuffer, toWireMessage, WireMask, type WireMessage } from './wire-record.ts';

export interface WireRecorderOptions {
  /** Returns the input schema of a tool; fields that it marks as secret are masked. */
  findSchema(tool: string): unknown;
  /** Returns the call of a task that was started before this process. */
  findCall(taskId: string): string | undefined;
}

/** The recorded messages of one call. */
export interface CallWire {
  readonly messages: readonly WireMessage[];
  /** How many messages were dropped, from the middle. */
  readonly left: number;
}

interface RecordedCall {
  readonly mask: WireMask;
  readonly messages: HeadTailBuffer<WireMessage>;
  readonly startedAt: number;
}

type Parsed = Readonly<Record<string, unknown>>;

const MAX_CALLS = 100;
const MAX_REQUESTS = 5000;
const PER_CALL = { first: 60, last: 60 };
const KEY = 'holdfast/idempotencyKey';
const RELATED = 'io.modelcontextprotocol/related-task';

export class WireRecorder {
  readonly #options: WireRecorderOptions;
  readonly #calls = new Map<string, RecordedCall>();
  readonly #tasks = new Map<string, string>();
  /** The calls that a request belongs to, by its direction and id, until it is answered. */
  readonly #requests = new Map<string, readonly string[]>();

  constructor(options: WireRecorderOptions) {
    this.#options = options;
  }

  readonly record = (direction: Direction, text: string): void => {
    const message = parse(text);
    if (!message) return;
    for (const callId of this.#findCalls(direction, message)) {
      const recorded = this.#open(callId);
      const { method, params } = message;
      if (method === 'tools/call' && isObject(params))
        recorded.mask.learn(this.#options.findSchema(String(params.name)), params.arguments);
      recorded.messages.add(toWireMessage(recorded.mask, direction, { at: Date.now() - recorded.startedAt, text }));
    }
  };

  ofCall(callId: string): CallWire {
    const recorded = this.#calls.get(callId);
    return { messages: recorded?.messages.items ?? [], left: recorded?.messages.dropped ?? 0 };
  }

  ofTask(taskId: string): CallWire {
    return this.ofCall(this.#callOf(taskId) ?? '');
  }

  #findCalls(direction: Direction, message: Parsed): readonly string[] {
    const { id, method } = message;
    const hasId = typeof id === 'string' || typeof id === 'number';
    if (method === undefined && hasId)
      return this.#findAnswered(`${direction === 'out' ? 'in' : 'out'} ${id}`, message);
    const found = this.#findNamed(isObject(message.params) ? message.params : {});
    if (hasId && found.length > 0) {
      setBounded(this.#requests, `${direction} ${id}`, { value: found, max: MAX_REQUESTS });
    }
    return found;
  }

  #findAnswered(request: string, { result }: Parsed): readonly string[] {
    const calls = this.#requests.get(request) ?? [];
    this.#requests.delete(request);
    const [callId] = calls;
    const { taskId } = isObject(result) ? (isObject(result.task) ? result.task : result) : {};
    if (typeof taskId === 'string' && callId !== undefined && calls.length === 1)
      setBounded(this.#tasks, taskId, { value: callId, max: MAX_REQUESTS });
    return calls;
  }

  /** Returns the calls that a request or a notification refers to. */
  #findNamed(params: Parsed): readonly string[] {
    const meta = isObject(params._meta) ? params._meta : {};
    if (typeof meta[KEY] === 'string') return [meta[KEY]];
    const token = params.progressToken;
    if (typeof token === 'string' && this.#calls.has(token)) return [token];
    const calls = listTasks(params, meta).map((taskId) => this.#callOf(taskId));
    return [...new Set(calls)].filter((callId) => callId !== undefined);
  }

  #callOf(taskId: string): string | undefined {
    return this.#tasks.get(taskId) ?? this.#options.findCall(taskId);
  }

  #open(callId: string): RecordedCall {
    const recorded = this.#calls.get(callId) ?? {
      mask: new WireMask(),
      messages: new HeadTailBuffer<WireMessage>(PER_CALL),
      startedAt: Date.now(),
    };
    setBounded(this.#calls, callId, { value: recorded, max: MAX_CALLS });
    return recorded;
  }
}

function listTasks({ taskId, notifications }: Parsed, meta: Parsed): string[] {
  const related = meta[RELATED];
  const listened = isObject(notifications) && Array.isArray(notifications.taskIds) ? notifications.taskIds : [];
  const all = [taskId, isObject(related) ? related.taskId : undefined, ...listened];
  return all.filter((one) => typeof one === 'string');
}

/** Sets a map entry and removes the oldest one when the map is full. */
function setBounded<T>(map: Map<string, T>, key: string, { value, max }: { value: T; max: number }): void {
  const [oldest] = map.keys();
  if (!map.has(key) && map.size >= max && oldest !== undefined) map.delete(oldest);
  map.set(key, value);
}

function parse(text: string): Parsed | undefined {
  try {
    const message: unknown = JSON.parse(text);
    return isObject(message) ? message : undefined;
  } catch {
    return undefined;
  }
}
