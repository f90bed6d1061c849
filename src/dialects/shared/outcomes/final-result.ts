import type { Task } from '../../../task/record.ts';
import type { RpcResult } from '../../server-port.ts';
import { RpcFailure } from './rpc-failure.ts';
import { toWireOutcome } from './wire-outcome.ts';

/** The answer to the call of a task that has ended, as if there had never been a task. */
export function toFinalResult(task: Task): RpcResult {
  const ending = toWireOutcome(task);
  switch (ending.kind) {
    case 'result':
      return { ...ending.result };
    case 'error':
      throw new RpcFailure(ending.error.code, ending.error.message, ending.error.data);
    case 'cancelled':
      throw new RpcFailure(-32800, `Cancelled: ${ending.reason}`);
    case 'expired':
      throw new RpcFailure(-32602, `The task has expired: ${ending.reason}`);
    case 'running':
      throw new RpcFailure(-32603, 'The task has not ended');
  }
}
