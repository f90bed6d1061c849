import type { EventPoint, IncomingCall, RpcResult, ServerPort } from '../server-port.ts';
import { waitKnown } from './companions/wait-known.ts';
import { holdCall } from './held-call.ts';
import { attendTask } from './waiting-place.ts';

/** Resumes the stream of a held call that was cut: sends the events that its client has not received, and the answer. */
export async function resumeStream(port: ServerPort, call: IncomingCall, from: EventPoint): Promise<RpcResult> {
  const engine = await port.openEngine();
  const { taskId, seq, holdKey, waitMs, isKnown, joined, turn } = from;
  const task = await engine.get(taskId, { principal: call.caller.principal });
  const hold = await attendTask(port, { engine, task, holdKey });
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
  return isKnown ? waitKnown(port, call, held) : holdCall(port, call, held);
}
