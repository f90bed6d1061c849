/** How tasks are declared in a handshake, and what a client gets that has not declared them. */
import { RPC_CODES } from '../../rpc-codes.ts';
import { RpcFailure } from './outcomes/rpc-failure.ts';

/** The name of the tasks extension of 2026-07-28. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** How far a task is, from 0 to 1; the extension itself has only words for it. */
export const PROGRESS_META = 'holdfast/progress';

/** The capability `tasks` of a server of 2025-11-25. */
export const TASKS_2025 = { list: {}, cancel: {}, requests: { tools: { call: {} } } };

export function missingExtensionError(): RpcFailure {
  const requiredCapabilities = { extensions: { [TASKS_EXTENSION]: {} } };
  return new RpcFailure(RPC_CODES.MISSING_CLIENT_CAPABILITY, 'Missing required client capability', {
    requiredCapabilities,
  });
}

/** Where the words of a hand-over are told to programs. */
export const TASK_META = 'holdfast/task';

/** How the words of a hand-over begin to say what they are. */
export const NOT_THE_RESULT = 'This is not the result and nothing went wrong';
