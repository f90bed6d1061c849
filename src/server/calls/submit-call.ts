import { toRunLabel } from '../../dialects/stream/run-label.ts';
import type { RunAddress } from '../../dialects/stream/wire.ts';
import { toPromptDelivery } from '../../dialects/ui-prompts/server.ts';
import { toWireOutcome } from '../../dialects/wire-outcome.ts';
import type { Engine } from '../../engine/engine.ts';
import type { HeldTask } from '../../engine/holds/held-task.ts';
import type { SubmitOptions } from '../../engine/submit.ts';
import { toValueText } from '../../engine/value-text.ts';
import type { Delivery, Task } from '../../task/record.ts';
import { fromRpcError, invalidParams } from '../sdk/rpc-error.ts';
import { KEY_META } from '../server-card.ts';
import type { ServerParts } from '../server-parts.ts';
import type { StoredCall } from '../tools/server-tool.ts';
import type { IncomingCall } from './caller.ts';
import { findPromptPlace } from './prompt-place.ts';
import { findRun } from './run-address.ts';
import { findUpfrontSecrets } from './upfront-secrets.ts';

/** The result member of a JSON-RPC answer. */
export type RpcResult = { [key: string]: unknown };

/** A task and the engine that knows it. */
export interface Submitted {
  readonly engine: Engine;
  readonly task: Task;
  /** The wait of this call, when it holds the line. */
  readonly hold?: HeldTask;
}

/** What became of a call's task when it was written. */
export interface Written extends Submitted {
  /** False when the call took up a task that was there. */
  readonly created: boolean;
  /** How its run is told of, if it is. */
  readonly run?: RunAddress;
}

/** How the task of a call is written. */
export interface Submission {
  readonly args: StoredCall;
  /** Which dialect shows it. */
  readonly dialect: string;
  readonly options?: SubmitOptions;
}

/** Writes the task of a call; it is on disk when this resolves. */
export async function submitCall(parts: ServerParts, call: IncomingCall, submission: Submission): Promise<Written> {
  const engine = await parts.openEngine();
  const { principal, client, sessionId } = call.caller;
  const { progressToken } = call.channel;
  const idempotencyKey = readKey(call);
  const own = parts.tools.get(call.name)?.definition.deliver?.(submission.args.prepared) ?? [];
  const deliver = [...(submission.options?.deliver ?? (await toDeliveries(parts, call))), ...own];
  const run = findRun(parts, call, submission);
  const redact = findUpfrontSecrets(parts.tools.get(call.name), submission.args);
  const { task, hold, created } = await engine.submit(call.name, submission.args, {
    ...submission.options,
    deliver,
    principal,
    client,
    ...(redact.length > 0 && { redact }),
    labels: {
      dialect: submission.dialect,
      ...(client && { client: client.name }),
      ...(sessionId && { session: sessionId }),
      ...(run && toRunLabel(run)),
      ...(progressToken !== undefined && { progressToken: JSON.stringify(progressToken) }),
    },
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  });
  if (created) void tellSubmitted(parts, task);
  // A streamed call follows its run itself, when it can be answered.
  if (run && submission.dialect !== 'stream') {
    call.channel.followRun?.({ task, address: run, isBrief: true, isJoined: !created });
  }
  return { engine, task, ...(hold && { hold }), created, ...(run && { run }) };
}

async function tellSubmitted({ tools, report }: ServerParts, task: Task): Promise<void> {
  try {
    await tools.get(task.tool)?.definition.onSubmitted?.(task);
  } catch (error) {
    report(error);
  }
}

/** What its end puts into the outbox whatever form the call is answered in. */
async function toDeliveries(parts: ServerParts, call: IncomingCall): Promise<readonly Delivery[]> {
  const place = await findPromptPlace(parts, call);
  return place ? [toPromptDelivery(place)] : [];
}

/** A key that cannot be used must not be taken for none: the work would be done twice. */
function readKey({ meta }: IncomingCall): string | undefined {
  const key = meta[KEY_META];
  if (key === undefined || (typeof key === 'string' && key !== '')) return key;
  throw invalidParams(`_meta["${KEY_META}"] is ${toValueText(key)}; expected a non-empty text`);
}

/** The answer to the call of a task that has ended, as if there had never been a task. */
export function toFinalResult(task: Task): RpcResult {
  const ending = toWireOutcome(task);
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
