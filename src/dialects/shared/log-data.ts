import type { Json } from '../../task/json.ts';

/** Returns a tool's log message as it is sent to a client. */
export function toLogData({ message, data }: { readonly message: string; readonly data?: Json }): Json {
  return data === undefined ? message : { message, data };
}
