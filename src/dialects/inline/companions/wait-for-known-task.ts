import type { IncomingCall, RpcResult, ServerPort } from '../../server-port.ts';
import { RpcFailure } from '../../shared/outcomes/rpc-failure.ts';
import { toErrorResult } from '../../shared/outcomes/text-result.ts';
import { type HeldSubmission, holdCall } from '../held-call.ts';
import { readTurn } from './wait-turn.ts';

/** Waits for the task of another call. The failure of that task is a result here: this call was made to find it out. */
export async function waitForKnownTask(port: ServerPort, call: IncomingCall, held: HeldSubmission): Promise<RpcResult> {
  try {
    return await holdCall(port, call, { ...held, isKnown: true, turn: held.turn ?? readTurn(call.args) });
  } catch (error) {
    if (error instanceof RpcFailure) return { ...toErrorResult(error.message) };
    throw error;
  }
}
