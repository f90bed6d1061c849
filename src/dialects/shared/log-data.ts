import type { Json } from '../../task/json.ts';

/** What a line of a tool's log looks like to a client. */
export function toLogData({ message, data }: { readonly message: string; readonly data?: Json }): Json {
  return data === undefined ? message : { message, data };
}
