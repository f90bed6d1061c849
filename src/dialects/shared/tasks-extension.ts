/** How tasks are declared in a handshake, and what a client gets that has not declared them. */
import { RpcFailure } from './outcomes/rpc-failure.ts';

/** The name of the tasks extension of 2026-07-28. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** The capability `tasks` of a server of 2025-11-25. */
export const TASKS_2025 = { list: {}, cancel: {}, requests: { tools: { call: {} } } };

export function missingExtensionError(): RpcFailure {
  const requiredCapabilities = { extensions: { [TASKS_EXTENSION]: {} } };
  return new RpcFailure(-32021, 'Missing required client capability', { requiredCapabilities });
}
