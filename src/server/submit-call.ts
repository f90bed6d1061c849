import { toEnding } from '../dialects/ending.ts';
import type { Engine } from '../engine/engine.ts';
import type { HeldTask } from '../engine/held-task.ts';
import type { SubmitOptions } from '../engine/submit.ts';
import type { Task } from '../task/record.ts';
import { isTerminal } from '../task/status.ts';
import type { IncomingCall } from './caller.ts';
import { fromRpcError, invalidParams } from './rpc-error.ts';
import type { ServerParts } from './server-parts.ts';
import type { CallArgs } from './server-tool.ts';

/** The result member of a JSON-RPC answer. */
export type RpcResult = { [key: string]: unknown };

/** A task and the engine that knows it. */
export interface Submitted {
  readonly engine: Engine;
  readonly task: Task;
  /** The wait of this call, when it holds the line. */
  readonly hold?: HeldTask;
}

/** How the task of a call is written. */
export interface Submission {
  readonly args: CallArgs;
  /** Which dialect shows it. */
  readonly dialect: string;
  readonly options?: SubmitOptions;
}

/** Where a call says by which key it is known; servers that heed it declare it as an experimental capability. */
export const KEY_META = 'holdfast/idempotencyKey';

/** Writes the task of a call; it is on disk when this resolves. */
export async function submitCall(parts: ServerParts, call: IncomingCall, submission: Submission): Promise<Submitted> {
  const engine = await parts.openEngine();
  const { principal, client, sessionId } = call.caller;
  const { progressToken } = call.line;
  const idempotencyKey = readKey(call);
  const { task, hold } = await engine.submit(call.name, submission.args, {
    ...submission.options,
    principal,
    labels: {
      dialect: submission.dialect,
      ...(client && { client: client.name }),
      ...(sessionId && { session: sessionId }),
      ...(progressToken !== undefined && { progressToken: JSON.stringify(progressToken) }),
    },
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  });
  return { engine, task, ...(hold && { hold }) };
}

/** A key that cannot be used must not be taken for none: the work would be done twice. */
function readKey({ meta }: IncomingCall): string | undefined {
  const key = meta[KEY_META];
  if (key === undefined || (typeof key === 'string' && key !== '')) return key;
  throw invalidParams(`_meta["${KEY_META}"] is ${JSON.stringify(key)}; legal is a non-empty text`);
}

/** The task once it has ended or asked something, or as it is after `ms`. */
export async function waitBriefly({ engine, task }: Submitted, ms: number): Promise<Task> {
  if (isTerminal(task.status) || ms === 0) return task;
  const { taskId, principal } = task;
  for await (const event of engine.watch(taskId, { principal, signal: AbortSignal.timeout(ms) })) {
    if (event.type === 'asked' || event.type === 'ended') break;
  }
  return engine.get(taskId, { principal });
}

/** The answer to the call of a task that has ended, as if there had never been a task. */
export function toFinalResult(task: Task): RpcResult {
  const ending = toEnding(task);
  switch (ending.kind) {
    case 'result':
      return { ...ending.result };
    case 'error':
      throw fromRpcError(ending.error);
    case 'cancelled':
      throw fromRpcError({ code: -32800, message: `Cancelled: ${ending.reason}` });
    case 'expired':
      throw fromRpcError({ code: -32602, message: `The task has expired: ${ending.reason}` });
    case 'running':
      throw fromRpcError({ code: -32603, message: 'The task has not ended' });
  }
}
