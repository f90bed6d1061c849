import type { EventPoint, IncomingCall, RpcResult, ServerPort } from '../server-port.ts';
import { waitForKnownTask } from './companions/wait-for-known-task.ts';
import { holdCall } from './held-call.ts';
import { claimHold } from './queued-hold.ts';

/** Resumes the stream of a held call that was cut: sends the events that its client has not received, and the answer. */
export async function resumeStream(port: ServerPort, call: IncomingCall, from: EventPoint): Promise<RpcResult> {
  const engine = await port.openEngine();
  const { taskId, seq, holdKey, waitMs, isKnown, joined, turn } = from;
  const task = await engine.get(taskId, { principal: call.caller.principal });
  const hold = await claimHold(port, { engine, task, holdKey });
  const held = {
    engine,
    task,
    sentSeq: seq,
    resumed: from,
    ...(hold && { hold }),
    ...(waitMs !== undefined && { waitMs }),
    ...(joined && { joined }),
    ...(turn !== undefined && { turn }),
  };
  return isKnown ? waitForKnownTask(port, call, held) : holdCall(port, call, held);
}
