/** Calls that are acknowledged at once and answered by notifications while they run. */
import { toStreamAck } from '../../dialects/stream/wire.ts';
import type { ServerParts } from '../server-parts.ts';
import type { ParsedServerTool, StoredCall } from '../tools/server-tool.ts';
import type { IncomingCall } from './caller.ts';
import { toJobMark } from './job-end.ts';
import { type RpcResult, submitCall } from './submit-call.ts';

export async function answerByStream(
  parts: ServerParts,
  _tool: ParsedServerTool,
  { call, args }: { readonly call: IncomingCall; readonly args: StoredCall },
): Promise<RpcResult> {
  const written = await submitCall(parts, call, { args, dialect: 'stream', options: toJobMark(call.caller) });
  const { task, hold, created, run } = written;
  await hold?.handOver();
  if (!run) throw new Error(`nothing can be told on the connection of ${call.name}`);
  call.channel.followRun?.({ task, address: run, isBrief: false, isJoined: !created });
  return { ...toStreamAck(task, run) };
}
