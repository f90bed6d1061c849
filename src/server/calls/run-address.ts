import type { RunAddress } from '../../dialects/stream/wire.ts';
import { isObject } from '../../dialects/ui-prompts/wire.ts';
import type { ServerParts } from '../server-parts.ts';
import type { ParsedServerTool } from '../tools/server-tool.ts';
import type { IncomingCall } from './caller.ts';
import { findPromptConfig } from './prompt-place.ts';
import type { Submission } from './submit-call.ts';

/** How the run of a call is told of; nothing when neither the call nor its tool wants it told. */
export function findRun(parts: ServerParts, call: IncomingCall, submission: Submission): RunAddress | undefined {
  const tool = parts.tools.get(call.name);
  if (!tool || !call.caller.acceptsNotifications) return undefined;
  const isWanted = submission.dialect === 'stream' || tool.stream.calls === 'default';
  return isWanted ? toAddress(parts, tool, { call, submission }) : undefined;
}

interface Submitting {
  readonly call: IncomingCall;
  readonly submission: Submission;
}

function toAddress(parts: ServerParts, tool: ParsedServerTool, { call, submission }: Submitting): RunAddress {
  const { app, toWindowId } = tool.stream;
  const requestId = toText(call.meta[findPromptConfig(parts, tool, call)?.taskIdKey ?? 'taskId']);
  const sessionId =
    toText(call.meta.sessionId) ?? (isObject(call.meta.chatos) ? toText(call.meta.chatos.sessionId) : undefined);
  return {
    app,
    rpcId: call.id,
    windowId: toWindowId(submission.args.prepared),
    ...(requestId !== undefined && { requestId }),
    ...(sessionId !== undefined && { sessionId }),
  };
}

function toText(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}
