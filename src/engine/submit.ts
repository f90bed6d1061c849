import type { Clock } from '../clock.ts';
import { TaskError } from '../errors.ts';
import type { Store } from '../store/contract.ts';
import type { CreateResult } from '../store/task-contract.ts';
import { toMedian } from '../task/estimate.ts';
import { makeTaskId } from '../task/id.ts';
import { type Json, toFingerprint } from '../task/json.ts';
import type { Delivery, NewTask, Task, TraceContext } from '../task/record.ts';
import { parseTtl } from '../task/ttl.ts';
import { LOCAL } from './access.ts';
import { freeLostHolds, type HeldTask, type HoldOptions, makeHolder, toHeldTask } from './held-task.ts';
import { toKeepable } from './keepable.ts';
import type { ParsedTool } from './tool.ts';
import { toValueText } from './value-text.ts';

export interface SubmitOptions {
  /** Who owns the task. @default 'local' */
  readonly principal?: string;
  /** An id made by the client. Submitting it again with the same tool and arguments joins the first task. */
  readonly alias?: string;
  /** The same key with the same arguments joins the running or finished task; with others it is a conflict. */
  readonly idempotencyKey?: string;
  /** How long the finished task can be read; `null` is for ever. @default the tool's */
  readonly ttlMs?: number | null;
  /** Messages to put into the outbox when the task ends. */
  readonly deliver?: readonly Delivery[];
  readonly trace?: TraceContext;
  /** Words of the caller's, kept with the task. */
  readonly labels?: Readonly<Record<string, string>>;
  /** The caller waits on an open line. */
  readonly hold?: HoldOptions;
}

export interface Submitted {
  readonly task: Task;
  /** The wait of this caller, when it asked to hold; absent when another caller waits for the same task. */
  readonly hold?: HeldTask;
  /** False when an earlier submit with the same key or alias was joined. */
  readonly created: boolean;
}

interface SubmitDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly identity: string;
  readonly queueLimit: number;
  onCreating(): void;
  report(error: unknown): void;
}

interface Call {
  readonly args: unknown;
  readonly options: SubmitOptions;
}

const LONGEST_NAME = 512;

/** Writes a task for a call; it is durable when this resolves. */
export async function submitTask(deps: SubmitDeps, tool: ParsedTool, call: Call): Promise<Submitted> {
  const task = toNewTask(deps, tool, call);
  // Only now: a function of the tool's author need not cope with arguments that are refused anyway.
  const estimateMs = await toEstimate(deps, tool, task.args);
  const whole = estimateMs === undefined ? task : { ...task, estimateMs };
  const hold = call.options.hold && { ...parseHold(deps.identity, call.options.hold), by: makeHolder() };
  if (hold) await freeLostHolds(deps.store, hold.key);
  const creating = deps.store.tasks.create(whole, { queueLimit: deps.queueLimit, ...(hold && { hold }) });
  // A worker in this process looks now, so that its claim can share the commit of the task.
  deps.onCreating();
  const submitted = toSubmitted(whole, await creating);
  if (!hold) return submitted;
  const { taskId } = submitted.task;
  // One that was joined by its key may be waited for by somebody else.
  const isHeld = submitted.created || (await deps.store.holds.attend(taskId, hold.by));
  return isHeld ? { ...submitted, hold: toHeldTask(deps.store, { ...hold, taskId }) } : submitted;
}

/** Checks everything the caller gave. */
function toNewTask(deps: SubmitDeps, tool: ParsedTool, { args, options }: Call): NewTask {
  return {
    taskId: makeTaskId(deps.clock.now()),
    tool: tool.name,
    args: toKept('the arguments', args ?? {}),
    principal: parseName('principal', options.principal ?? LOCAL),
    identity: deps.identity,
    ttlMs: options.ttlMs === undefined ? tool.ttlMs : parseTtl(options.ttlMs),
    pollIntervalMs: tool.pollIntervalMs,
    idempotent: tool.idempotent,
    maxAttempts: tool.retry.maxAttempts,
    deliver: parseDeliver(options.deliver),
    ...(options.alias === undefined ? {} : { alias: parseName('alias', options.alias) }),
    ...(options.idempotencyKey === undefined
      ? {}
      : { idempotencyKey: parseName('idempotencyKey', options.idempotencyKey) }),
    ...(options.trace === undefined ? {} : { trace: parseTrace(options.trace) }),
    ...(options.labels === undefined ? {} : { labels: options.labels }),
  };
}

function toSubmitted(task: NewTask, result: CreateResult): Submitted {
  switch (result.kind) {
    case 'created':
    case 'joined':
      return { task: result.task, created: result.kind === 'created' };
    case 'conflict': {
      const { on, taskId } = result;
      const code = on === 'alias' ? 'ALIAS_CONFLICT' : 'IDEMPOTENCY_CONFLICT';
      const text = `${on} ${JSON.stringify(task[on])} belongs to a task with another tool or other arguments; use a new one`;
      throw new TaskError(code, text, { data: { taskId } });
    }
    case 'full':
      throw new TaskError('QUEUE_FULL', `the queue is full: ${result.queued} tasks are waiting; try again later`, {
        data: { queued: result.queued },
      });
  }
}

/** Fixed, from the arguments, or learned from past runs. A wrong estimate is never a reason to refuse work. */
async function toEstimate(deps: SubmitDeps, tool: ParsedTool, args: Json): Promise<number | undefined> {
  if (tool.estimateMs === undefined) {
    const median = toMedian(await deps.store.tasks.durations(deps.identity, tool.name));
    return median === undefined ? undefined : Math.round(median);
  }
  try {
    const value = typeof tool.estimateMs === 'function' ? tool.estimateMs(args as never) : tool.estimateMs;
    if (value === undefined) return undefined;
    if (Number.isFinite(value) && value >= 0) return Math.round(toKeepable(value));
    throw new TaskError('INVALID_ARGUMENT', `tool ${tool.name}: estimateMs gave ${String(value)}; legal is 0 or more`);
  } catch (error) {
    deps.report(error);
    return undefined;
  }
}

/** The value as JSON carries it, so that what is given back is what a restart would find. */
function toKept(what: string, value: unknown): Json {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (cause) {
    throw new TaskError('INVALID_ARGUMENT', `${what} cannot be kept as JSON: ${toValueText(value)}`, { cause });
  }
  if (text === undefined) {
    throw new TaskError('INVALID_ARGUMENT', `${what} cannot be kept as JSON: a ${typeof value} has no JSON form`);
  }
  return JSON.parse(text) as Json;
}

function parseDeliver(value: unknown): readonly Delivery[] {
  if (value === undefined) return [];
  const kept = toKept('deliver', value);
  const isLegal = Array.isArray(kept) && kept.every((one) => typeof one?.topic === 'string' && one.topic !== '');
  if (isLegal) return kept as readonly Delivery[];
  throw new TaskError('INVALID_ARGUMENT', `deliver is ${toValueText(value)}; legal is a list of { topic, data }`);
}

function parseTrace(value: unknown): TraceContext {
  const kept = toKept('trace', value) as { readonly traceparent?: unknown } | null;
  if (typeof kept?.traceparent === 'string') return kept as TraceContext;
  throw new TaskError('INVALID_ARGUMENT', `trace is ${toValueText(value)}; legal is { traceparent, tracestate }`);
}

/** Programs that share a store may use the same key for different things. */
function parseHold(identity: string, { key, graceMs }: HoldOptions): HoldOptions {
  const ours = toFingerprint([identity, parseName('hold.key', key)]);
  if (Number.isInteger(graceMs) && graceMs >= 0) return { key: ours, graceMs };
  throw new TaskError('INVALID_ARGUMENT', `hold.graceMs is ${toValueText(graceMs)}; legal is a whole number from 0 up`);
}

function parseName(field: string, value: unknown): string {
  if (typeof value === 'string' && value.length > 0 && value.length <= LONGEST_NAME) return value;
  throw new TaskError(
    'INVALID_ARGUMENT',
    `${field} is ${toValueText(value)}; legal is a text of 1 to ${LONGEST_NAME} characters`,
  );
}
