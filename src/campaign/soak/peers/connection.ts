import type { Json } from '../../../task/json.ts';

export type JsonObject = { readonly [key: string]: Json };

/** The protocol version to use. */
export type Era = '2025-11-25' | '2026-07-28';

/** The message framing: one JSON text per line, JSON after a `Content-Length` header, or HTTP requests. */
export type Transport = 'framed' | 'line' | 'http';

export type Answer =
  | { readonly kind: 'result'; readonly result: JsonObject }
  /** `code` is a string, because reports count by it. */
  | { readonly kind: 'error'; readonly code: string; readonly message: string };

export interface Request {
  readonly id: string;
  readonly method: string;
  readonly params: JsonObject;
  readonly timeoutMs: number;
}

/**
 * A raw connection to a server without an SDK, because an SDK would silently drop what a soak looks for, such as a second
 * response.
 */
export interface Connection {
  /** Rejects with the reason as its message when no response came in time, or none can come any more. */
  request(request: Request): Promise<Answer>;
  notify(method: string, params: JsonObject): Promise<void>;
  /** Sends bytes that are not a valid message. */
  sendMalformed(): Promise<void>;
  /** Stray responses, by their names in a report. */
  readonly strayResponses: readonly string[];
  close(): Promise<void>;
}

/** Truncates a server's text for a report, because it may be megabytes long. */
export function cut(text: string): string {
  return text.length <= SHOWN_CHARS ? text : `${text.slice(0, SHOWN_CHARS)}…`;
}

const SHOWN_CHARS = 200;
