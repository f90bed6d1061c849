import type { Json } from '../../../task/json.ts';

export type JsonObject = { readonly [key: string]: Json };

/** Which revision of the protocol is spoken. */
export type Era = '2025-11-25' | '2026-07-28';

/** How messages travel: one JSON text per line, behind a `Content-Length` header, or as HTTP requests. */
export type Transport = 'framed' | 'line' | 'http';

export type Answer =
  | { readonly kind: 'result'; readonly result: JsonObject }
  /** `code` as text: a report counts by it. */
  | { readonly kind: 'error'; readonly code: string; readonly message: string };

export interface Request {
  readonly id: string;
  readonly method: string;
  readonly params: JsonObject;
  readonly timeoutMs: number;
}

/**
 * One raw line to a server, without an SDK in between: what an SDK would quietly drop, such as a second answer, is what
 * a soak looks for.
 */
export interface Connection {
  /** Rejects with the reason as its message when no answer came in time, or none can come any more. */
  request(request: Request): Promise<Answer>;
  notify(method: string, params: JsonObject): Promise<void>;
  /** Sends something that is no message. */
  sendMalformed(): Promise<void>;
  /** Answers that nobody waited for, by the names they have in a report. */
  readonly strays: readonly string[];
  close(): Promise<void>;
}

/** What a server says, as far as a report needs it: it may say megabytes. */
export function cut(text: string): string {
  return text.length <= SHOWN_CHARS ? text : `${text.slice(0, SHOWN_CHARS)}…`;
}

const SHOWN_CHARS = 200;
