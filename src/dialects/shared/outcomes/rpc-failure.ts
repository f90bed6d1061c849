import { RPC_CODES } from '../../../rpc-codes.ts';
import type { Json } from '../../../task/json.ts';

/** An answer that is a JSON-RPC error with its own code: one chosen by the tool, or one of a dialect. */
export class RpcFailure extends Error {
  override readonly name = 'RpcFailure';
  readonly code: number;
  readonly data: Json | undefined;

  constructor(code: number, message: string, data?: Json) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Returns the error for a request with wrong parameters. */
export function invalidParams(message: string): RpcFailure {
  return new RpcFailure(RPC_CODES.INVALID_PARAMS, message);
}
