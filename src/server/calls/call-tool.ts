/**
 * Handles one `tools/call`, from the request to its answer.
 *
 * The dialect of the answer is chosen once. The work is submitted before anything is answered, unless its result is the
 * answer and it may be repeated (`quick-call.ts`), and it is never restarted because the answer changed its dialect.
 */

import type { ServerDialect } from '../../dialects/server-dialect.ts';
import type { IncomingCall, RpcResult, StoredCall } from '../../dialects/server-port.ts';
import { invalidParams, RpcFailure } from '../../dialects/shared/outcomes/rpc-failure.ts';
import { toErrorResult } from '../../dialects/shared/outcomes/text-result.ts';
import { MAX_VALIDATION_ERROR_LENGTH } from '../../limits.ts';
import { RPC_CODES } from '../../rpc-codes.ts';
import type { Json } from '../../task/json.ts';
import { shorten } from '../../text/cut-text.ts';
import type { ServerParts } from '../server-parts.ts';
import { callDirectly } from '../tasks/direct-call.ts';
import type { CheckedServerCall, ServerCall } from '../tasks/server-call.ts';
import { submitCall } from '../tasks/submit-call.ts';
import { chooseDialect } from './choose-dialect.ts';
import { canRunQuickly, runQuickly } from './quick-call.ts';
import { askUpfront, foreignStateError } from './upfront.ts';

export async function callTool(parts: ServerParts, incoming: Omit<IncomingCall, 'tool'>): Promise<RpcResult> {
  const tool = parts.tools.get(incoming.name);
  const call: ServerCall | undefined = tool && { ...incoming, tool };
  const own = answerOwn(parts, call ?? incoming);
  if (own) return own;
  if (!call) throw invalidParams(`Unknown tool: ${incoming.name}`);
  const dialect = chooseDialect(parts, call);
  dialect.check?.(call, parts.port);
  checkTask(call);
  const resumed = await resume(parts, call);
  if (resumed) return resumed;
  const prepared = await call.tool.definition.prepare?.({ args: call.args ?? {}, meta: call.meta });
  const complaint = findComplaint(call);
  if (complaint !== undefined) return toDirectAnswer(parts, dialect, { call, result: { ...toErrorResult(complaint) } });
  const upfront = dialect.asksUpfront === false ? NOT_ASKED : await askUpfront(parts, call);
  if (upfront.kind === 'ask') return upfront.answer;
  const kept = prepared === undefined ? {} : { prepared };
  return answer(parts, dialect, {
    call,
    stored: { input: (call.args ?? {}) as Json, upfront: upfront.answers, ...kept },
  });
}

const NOT_ASKED = { kind: 'answered', answers: {} } as const;

/** Answers calls that are not of the server's own tools. */
function answerOwn({ dialects, port }: ServerParts, call: IncomingCall): Promise<RpcResult> | undefined {
  for (const dialect of dialects) {
    const own = dialect.answerOwn?.(call, port);
    if (own) return own;
  }
  return undefined;
}

/** Refuses a task (2025-11-25) of a tool that is never one. */
function checkTask({ tool, task }: ServerCall): void {
  if (tool.taskMode !== 'never' || task === undefined) return;
  throw new RpcFailure(RPC_CODES.METHOD_NOT_FOUND, `Tool ${tool.name} cannot be run as a task`);
}

/** Continues the earlier call whose `requestState` this request repeats. */
async function resume({ dialects, port }: ServerParts, call: ServerCall): Promise<RpcResult | undefined> {
  if (call.requestState === undefined) return undefined;
  for (const dialect of dialects) {
    const resumed = await dialect.resume?.(call, port);
    if (resumed) return resumed;
  }
  if (!call.tool.definition.upfront) throw foreignStateError();
  return undefined;
}

function findComplaint({ tool, args }: ServerCall): string | undefined {
  try {
    tool.parseArgs(args);
    return undefined;
  } catch (error) {
    return `Invalid arguments for tool ${tool.name}: ${shorten((error as Error).message, MAX_VALIDATION_ERROR_LENGTH)}`;
  }
}

interface Checked {
  readonly call: ServerCall;
  readonly stored: StoredCall;
}

async function answer(parts: ServerParts, dialect: ServerDialect, { call, stored }: Checked): Promise<RpcResult> {
  const { port } = parts;
  const checked: CheckedServerCall = {
    ...call,
    stored,
    submit: (submission) => submitCall(parts, checked, submission),
    runDirectly: (channel = call.channel) => callDirectly({ ...call, stored, channel }),
  };
  if (call.tool.taskMode === 'never') {
    if (dialect.answerDirectly) return dialect.answerDirectly(checked, port);
    return toDirectAnswer(parts, dialect, { call, result: await checked.runDirectly() });
  }
  const result = canRunQuickly(checked, dialect) ? await runQuickly(checked, parts.clock) : undefined;
  if (result) return toDirectAnswer(parts, dialect, { call, result });
  if (dialect.answer) return dialect.answer(checked, port);
  throw new Error(`the dialect ${dialect.name} takes calls and answers none`);
}

interface Direct {
  readonly call: ServerCall;
  readonly result: RpcResult;
}

function toDirectAnswer({ port }: ServerParts, dialect: ServerDialect, { call, result }: Direct): RpcResult {
  return dialect.toDirectAnswer?.(result, call, port) ?? result;
}
