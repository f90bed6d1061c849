import type { Clock } from '../clock.ts';
import { TaskError } from '../errors.ts';
import type { CreateResult, Store } from '../store/contract.ts';
import { toMedian } from '../task/estimate.ts';
import { makeTaskId } from '../task/id.ts';
import type { Json } from '../task/json.ts';
import type { Delivery, NewTask, Task, TraceContext } from '../task/record.ts';
import { parseTtl } from '../task/ttl.ts';
import { LOCAL } from './access.ts';
import type { ParsedTool } from './tool.ts';

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
}

export interface Submitted {
  readonly task: Task;
  /** False when an earlier submit with the same key or alias was joined. */
  readonly created: boolean;
}

interface SubmitDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly identity: string;
  readonly queueLimit: number;
  report(error: unknown): void;
}

const LONGEST_NAME = 512;

/** Writes a task for a call; it is durable when this resolves. */
export async function submitTask(
  deps: SubmitDeps,
  tool: ParsedTool,
  call: { readonly args: unknown; readonly options: SubmitOptions },
): Promise<Submitted> {
  const { args, options } = call;
  const estimateMs = await toEstimate(deps, tool, args);
  const task: NewTask = {
    taskId: makeTaskId(deps.clock.now()),
    tool: tool.name,
    args: toArgs(args),
    principal: parseName('principal', options.principal ?? LOCAL),
    identity: deps.identity,
    ttlMs: options.ttlMs === undefined ? tool.ttlMs : parseTtl(options.ttlMs),
    pollIntervalMs: tool.pollIntervalMs,
    idempotent: tool.idempotent,
    maxAttempts: tool.retry.maxAttempts,
    deliver: options.deliver ?? [],
    ...(options.alias === undefined ? {} : { alias: parseName('alias', options.alias) }),
    ...(options.idempotencyKey === undefined
      ? {}
      : { idempotencyKey: parseName('idempotencyKey', options.idempotencyKey) }),
    ...(options.trace === undefined ? {} : { trace: options.trace }),
    ...(estimateMs === undefined ? {} : { estimateMs }),
  };
  return toSubmitted(task, await deps.store.tasks.create(task, { queueLimit: deps.queueLimit }));
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
async function toEstimate(deps: SubmitDeps, tool: ParsedTool, args: unknown): Promise<number | undefined> {
  if (tool.estimateMs === undefined) {
    const median = toMedian(await deps.store.tasks.durations(deps.identity, tool.name));
    return median === undefined ? undefined : Math.round(median);
  }
  try {
    const value = typeof tool.estimateMs === 'function' ? tool.estimateMs(args as never) : tool.estimateMs;
    if (value === undefined) return undefined;
    if (Number.isFinite(value) && value >= 0) return Math.round(value);
    throw new TaskError('INVALID_ARGUMENT', `tool ${tool.name}: estimateMs gave ${String(value)}; legal is 0 or more`);
  } catch (error) {
    deps.report(error);
    return undefined;
  }
}

function toArgs(args: unknown): Json {
  let text: string | undefined;
  try {
    text = JSON.stringify(args ?? {});
  } catch (cause) {
    throw new TaskError('INVALID_ARGUMENT', `the arguments cannot be kept as JSON: ${String(cause)}`, { cause });
  }
  if (text === undefined) throw new TaskError('INVALID_ARGUMENT', `the arguments are a ${typeof args}; legal is JSON`);
  return JSON.parse(text) as Json;
}

function parseName(field: string, value: unknown): string {
  if (typeof value === 'string' && value.length > 0 && value.length <= LONGEST_NAME) return value;
  throw new TaskError(
    'INVALID_ARGUMENT',
    `${field} is ${JSON.stringify(value)}; legal is a text of 1 to ${LONGEST_NAME} characters`,
  );
}
