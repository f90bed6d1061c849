import { RPC_CODES } from '../../../rpc-codes.ts';
import type { Task } from '../../../task/record.ts';
import type { RpcResult } from '../../server-port.ts';
import { RpcFailure } from './rpc-failure.ts';
import { toWireOutcome } from './wire-outcome.ts';

/** Returns the answer to the call of a task that has ended, as if there had never been a task. */
export function toFinalResult(task: Task): RpcResult {
  const ending = toWireOutcome(task);
  switch (ending.kind) {
    case 'result':
      return { ...ending.result };
    case 'error':
      throw new RpcFailure(ending.error.code, ending.error.message, ending.error.data);
    case 'cancelled':
      throw new RpcFailure(RPC_CODES.REQUEST_CANCELLED, `Cancelled: ${ending.reason}`);
    case 'expired':
      throw new RpcFailure(RPC_CODES.INVALID_PARAMS, `The task has expired: ${ending.reason}`);
    case 'running':
      throw new RpcFailure(RPC_CODES.INTERNAL_ERROR, 'The task has not ended');
  }
}
