import type { ServerParts } from '../server-parts.ts';
import type { EventPoint } from '../sse/event-id.ts';
import { waitKnown } from '../tools/companion-tools.ts';
import type { IncomingCall } from './caller.ts';
import { holdCall } from './held-call.ts';
import type { RpcResult } from './submit-call.ts';
import { attendTask } from './waiting-place.ts';

/** Goes on with the line of a held call that was cut: the rest of what its client has not been told, and the answer. */
export async function resumeStream(parts: ServerParts, call: IncomingCall, from: EventPoint): Promise<RpcResult> {
  const engine = await parts.openEngine();
  const { taskId, seq, holdKey, waitMs, isKnown, joined, turn } = from;
  const task = await engine.get(taskId, { principal: call.caller.principal });
  const hold = await attendTask(parts, { engine, task, holdKey });
  const held = {
    engine,
    task,
    toldSeq: seq,
    resumed: from,
    ...(hold && { hold }),
    ...(waitMs !== undefined && { waitMs }),
    ...(joined && { joined }),
    ...(turn !== undefined && { turn }),
  };
  return isKnown ? waitKnown(parts, call, held) : holdCall(parts, call, held);
}
