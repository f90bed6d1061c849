/** JSON-RPC error codes: those of JSON-RPC itself, of MCP, and those that MCP servers commonly send. */
export const RPC_CODES = {
  PARSE_ERROR: -32700,
  INVALID_REQUEST: -32600,
  METHOD_NOT_FOUND: -32601,
  INVALID_PARAMS: -32602,
  INTERNAL_ERROR: -32603,
  /** For refusals that have no code of their own. */
  SERVER_ERROR: -32000,
  SESSION_NOT_FOUND: -32001,
  /** The task has not ended yet: poll again. */
  NOT_READY: -32002,
  /** The same number as `NOT_READY`: before 2026-07-28 it is used in answers to `resources/read`. */
  RESOURCE_NOT_FOUND: -32002,
  MISSING_CLIENT_CAPABILITY: -32021,
  UNSUPPORTED_PROTOCOL_VERSION: -32022,
  QUOTA_EXCEEDED: -32029,
  REQUEST_CANCELLED: -32800,
} as const;

/** Whether a thrown error is meant as a JSON-RPC error: its code is a negative integer. */
export function isRpcError(error: unknown): error is Error & { readonly code: number; readonly data?: unknown } {
  return error instanceof Error && 'code' in error && Number.isInteger(error.code) && (error.code as number) < 0;
}
