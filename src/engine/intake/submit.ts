import type { Clock } from '../../clock.ts';
import { joinRedactions, parseRedaction } from '../../codec/redaction.ts';
import { invalidField, refusedField, refuseUnknownFields } from '../../invalid-field.ts';
import { MAX_NAME_LENGTH } from '../../limits.ts';
import type { Store } from '../../store/contract.ts';
import type { NewHold } from '../../store/contracts/hold-contract.ts';
import type { CreateOptions, CreateResult } from '../../store/contracts/task-contract.ts';
import type { ClientName } from '../../task/actor.ts';
import { toMedian } from '../../task/estimate.ts';
import { makeTaskId } from '../../task/id.ts';
import { toFingerprint } from '../../task/json.ts';
import type { Delivery, NewTask, TraceContext } from '../../task/record.ts';
import { parseTtl } from '../../task/ttl.ts';
import { toValueText } from '../../text/value-text.ts';
import { toActor } from '../actor.ts';
import type { Audit } from '../audit.ts';
import type { ChangeRouter } from '../change-router.ts';
import { createHoldInOrder } from '../holds/create-hold-in-order.ts';
import { freeHolds } from '../holds/free-holds.ts';
import { createHolderId, type HoldOptions, toHeldTask } from '../holds/held-task.ts';
import type { HoldReleases } from '../holds/hold-releases.ts';
import { type LimitSettings, limitsOf } from '../limit-options.ts';
import { LOCAL } from '../principal.ts';
import { parseStartWithin } from '../start-within.ts';
import { toStorableNumber } from '../storable-number.ts';
import type { ParsedTool } from '../tool.ts';
import { type Submitted, toSubmitted } from './created-task.ts';
import type { LearnedRuns } from './learned-runs.ts';
import { quotaError } from './quota-error.ts';
import { toStoredJson } from './stored-json.ts';
import { toQueue } from './task-queue.ts';

/** Options of `submit`. */
export interface SubmitOptions {
  /** The owner of the task. @default 'local' */
  readonly principal?: string;
  /** An id made by the client. Submitting it again with the same tool and arguments joins the first task. */
  readonly alias?: string;
  /** A submit with the same key and arguments joins the running or finished task; with other arguments it is a conflict. */
  readonly idempotencyKey?: string;
  /** How long the finished task can be read; `null` is for ever. @default the tool's */
  readonly ttlMs?: number | null;
  /**
   * How long the task may wait for its first attempt; then it ends as `NOT_STARTED` without being run. Prevents work that
   * would start too late to be useful. `null` is for ever. @default the tool's
   */
  readonly startWithinMs?: number | null;
  /** The client, as it calls itself; recorded when the call takes over an unattended task. */
  readonly client?: ClientName | undefined;
  /** Messages to put into the outbox when the task ends. */
  readonly deliver?: readonly Delivery[];
  readonly trace?: TraceContext;
  /** Labels from the caller, stored with the task. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Arguments of this call that only the tool may see, in addition to those that the tool itself names. */
  readonly redact?: readonly string[];
  /** Set when the caller waits on an open connection. */
  readonly hold?: HoldOptions;
}

const SUBMIT_FIELDS: Readonly<Record<keyof SubmitOptions, true>> = {
  principal: true,
  alias: true,
  idempotencyKey: true,
  ttlMs: true,
  startWithinMs: true,
  client: true,
  deliver: true,
  trace: true,
  labels: true,
  redact: true,
  hold: true,
};

interface SubmitDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly releases: HoldReleases;
  readonly identity: string;
  readonly learned: LearnedRuns;
  readonly queueLimit: number;
  readonly sweepMs: number;
  readonly limits: LimitSettings;
  readonly audit: Audit | undefined;
  readonly router: ChangeRouter;
  onCreating(): void;
  report(error: unknown): void;
}

interface Call {
  readonly args: unknown;
  readonly options: SubmitOptions;
}

/** Writes a task for a call; it is durable when this resolves. */
export async function submitTask(deps: SubmitDeps, tool: ParsedTool, call: Call): Promise<Submitted> {
  refuseUnknownFields(call.options, SUBMIT_FIELDS, `submit of ${tool.name}`);
  const task = withQueue(tool, toNewTask(deps, tool, call));
  if (!call.options.hold) return createTask(deps, tool, { task: await withEstimate(deps, tool, task), call });
  const hold = { ...parseHold(call.options.hold), by: createHolderId() };
  return createHoldInOrder(hold, async () => {
    const estimated = await withEstimate(deps, tool, task);
    await freeHolds(deps, hold);
    const submitted = await createTask(deps, tool, { task: estimated, call, hold });
    const { taskId } = submitted.task;
    // Another caller may wait for a task that was joined by its key.
    const isHeld = submitted.created || (await deps.store.holds.attend(taskId, hold.by));
    return isHeld ? { ...submitted, hold: toHeldTask(deps, { ...hold, taskId }) } : submitted;
  });
}

interface Creation {
  readonly task: NewTask;
  readonly call: Call;
  readonly hold?: NewHold;
}

async function createTask(deps: SubmitDeps, tool: ParsedTool, { task, call, hold }: Creation): Promise<Submitted> {
  const by = toActor(task.principal, call.options.client);
  const share = limitsOf(deps.limits, task.principal);
  const redact = joinRedactions(tool.redact, parseRedaction(call.options.redact));
  const limits = { queueLimit: deps.queueLimit, share, by, ...(redact && { redact }) };
  const result = await writeTask(deps, task, { ...limits, ...(hold && { hold }) });
  if (result.kind === 'over-share') throw quotaError(result, { share, task, sweepMs: deps.sweepMs });
  if (result.kind === 'joined' && result.tookOver) {
    const { taskId, principal } = result.task;
    deps.audit?.({ at: deps.store.time().now, action: 'taken-over', by, taskId, tool: tool.name, principal });
  }
  return toSubmitted(task, result);
}

async function writeTask(deps: SubmitDeps, task: NewTask, options: CreateOptions): Promise<CreateResult> {
  const { store, router } = deps;
  router.expect(task.taskId, task.principal);
  let isWritten = false;
  try {
    const creating = store.tasks.create(task, options);
    // A worker in this process claims now, so that its claim can share the commit of the task.
    deps.onCreating();
    const result = await creating;
    isWritten = result.kind === 'created';
    return result;
  } finally {
    if (!isWritten) router.own.forget(task.taskId);
  }
}

/** Checks everything the caller passed, and returns the task for it. */
function toNewTask(deps: SubmitDeps, tool: ParsedTool, { args, options }: Call): NewTask {
  const principal = parseName('principal', options.principal ?? LOCAL);
  const { maxTtlMs } = limitsOf(deps.limits, principal);
  const kept = toStoredJson('the arguments', args ?? {}, { isSecret: tool.redact !== undefined });
  tool.parseArgs(kept);
  return {
    taskId: makeTaskId(deps.store.time().now),
    tool: tool.name,
    args: kept,
    principal,
    identity: deps.identity,
    ttlMs: options.ttlMs === undefined ? tool.ttlMs : toGrantedTtl(parseTtl(options.ttlMs), tool, maxTtlMs),
    idempotent: tool.idempotent,
    maxAttempts: tool.retry.maxAttempts,
    deliver: parseDeliver(options.deliver),
    ...toStart(options.startWithinMs === undefined ? tool.startWithinMs : parseStartWithin(options.startWithinMs)),
    ...(options.alias === undefined ? {} : { alias: parseName('alias', options.alias) }),
    ...(options.idempotencyKey === undefined
      ? {}
      : { idempotencyKey: parseName('idempotencyKey', options.idempotencyKey) }),
    ...(tool.pollIntervalMs === undefined ? {} : { pollIntervalMs: tool.pollIntervalMs }),
    ...(options.trace === undefined ? {} : { trace: parseTrace(options.trace) }),
    ...(options.labels === undefined ? {} : { labels: options.labels }),
  };
}

function withQueue(tool: ParsedTool, task: NewTask): NewTask {
  const queue = toQueue(tool, task);
  return queue === undefined ? task : { ...task, queue };
}

function toStart(startWithinMs: number | null): { startWithinMs?: number } {
  return startWithinMs === null ? {} : { startWithinMs };
}

/** Returns the TTL that a call asks for, up to its limit; a TTL that the tool's owner chose is never too long. */
function toGrantedTtl(asked: number | null, { ttlMs: own }: ParsedTool, maxTtlMs: number): number | null {
  const most = Math.max(maxTtlMs, own ?? Infinity);
  if (asked === null) return most === Infinity ? null : most;
  return Math.min(asked, most);
}

/** Runs after the arguments were checked: a function of the tool's author never gets arguments that are refused anyway. */
async function withEstimate(deps: SubmitDeps, tool: ParsedTool, task: NewTask): Promise<NewTask> {
  const estimateMs = await toEstimate(deps, tool, task);
  return estimateMs === undefined ? task : { ...task, estimateMs };
}

/** Fixed, computed from the arguments, or learned from past runs. A wrong estimate is never a reason to refuse work. */
async function toEstimate(deps: SubmitDeps, tool: ParsedTool, task: NewTask): Promise<number | undefined> {
  const { args, principal } = task;
  if (tool.estimateMs === undefined) {
    // Only from this principal's own runs: how long other principals' work takes must not leak.
    const median = toMedian(await deps.learned.find(tool.name, principal));
    return median === undefined ? undefined : Math.round(median);
  }
  try {
    const value = typeof tool.estimateMs === 'function' ? tool.estimateMs(args as never) : tool.estimateMs;
    if (value === undefined) return undefined;
    if (Number.isFinite(value) && value >= 0) return Math.round(toStorableNumber(value));
    const says = `gave ${toValueText(value)}`;
    throw refusedField({ of: `tool ${tool.name}`, field: 'estimateMs', says, expected: '0 or more' });
  } catch (error) {
    deps.report(error);
    return undefined;
  }
}

// These three are checked by hand and not by a schema, because they are checked with every call.
function parseDeliver(value: unknown): readonly Delivery[] {
  if (value === undefined) return [];
  const kept = toStoredJson('deliver', value);
  const isValid = Array.isArray(kept) && kept.every((one) => typeof one?.topic === 'string' && one.topic !== '');
  if (isValid) return kept as readonly Delivery[];
  throw invalidField('deliver', value, 'a list of { topic, data }');
}

function parseTrace(value: unknown): TraceContext {
  const kept = toStoredJson('trace', value) as { readonly traceparent?: unknown } | null;
  if (typeof kept?.traceparent === 'string') return kept as TraceContext;
  throw invalidField('trace', value, '{ traceparent, tracestate }');
}

/**
 * Hashes the keys. The identity is not part of them: the store joins calls of one identity only, since programs that
 * share it may use the same key for different things.
 */
function parseHold({ key, answeredKey, graceMs, isGone }: HoldOptions): HoldOptions {
  const toOurs = (field: string, given: string) => toFingerprint([parseName(field, given)]);
  if (!Number.isInteger(graceMs) || graceMs < 0) {
    throw invalidField('hold.graceMs', graceMs, 'a whole number from 0 up');
  }
  return {
    key: toOurs('hold.key', key),
    ...(answeredKey !== undefined && { answeredKey: toOurs('hold.answeredKey', answeredKey) }),
    graceMs,
    ...(isGone && { isGone }),
  };
}

function parseName(field: string, value: unknown): string {
  if (typeof value === 'string' && value.length > 0 && value.length <= MAX_NAME_LENGTH) return value;
  throw invalidField(field, value, `a text of 1 to ${MAX_NAME_LENGTH} characters`);
}
