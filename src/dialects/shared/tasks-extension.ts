/** How tasks are declared in a handshake, and the error for a client that has not declared them. */
import { RPC_CODES } from '../../rpc-codes.ts';
import { RpcFailure } from './outcomes/rpc-failure.ts';

/** The name of the tasks extension of 2026-07-28. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** The `_meta` key of a task's progress, from 0 to 1; the extension itself has only a status message for it. */
export const PROGRESS_META = 'holdfast/progress';

/** The `tasks` capability of a 2025-11-25 server. */
export const TASKS_2025 = { list: {}, cancel: {}, requests: { tools: { call: {} } } };

export function missingExtensionError(): RpcFailure {
  const requiredCapabilities = { extensions: { [TASKS_EXTENSION]: {} } };
  return new RpcFailure(RPC_CODES.MISSING_CLIENT_CAPABILITY, 'Missing required client capability', {
    requiredCapabilities,
  });
}

/** The `_meta` key of a hand-over's data for programs. */
export const TASK_META = 'holdfast/task';

/** The start of the sentence by which a hand-over says what it is. */
export const NOT_THE_RESULT = 'This is not the result and nothing went wrong';
