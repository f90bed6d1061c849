import { isObject } from '../../../is-object.ts';
import { parseJson } from '../frames.ts';

/** A JSON-RPC message, as far as a keeper reads it. */
export interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly [key: string]: unknown;
}

/** Returns `undefined` for a line that is no message: servers print all kinds of things. */
export function parseMessage(line: string): Message | undefined {
  const value = parseJson(line);
  if (!isObject(value)) return undefined;
  const { id, method, params } = value;
  const hasId = id === undefined || typeof id === 'string' || typeof id === 'number';
  const isRight = hasId && (method === undefined || typeof method === 'string');
  return isRight && (params === undefined || isObject(params)) ? (value as Message) : undefined;
}

export function isRequest({ id, method }: Message): boolean {
  return method !== undefined && id !== undefined;
}

export function toLine(message: Message): string {
  return JSON.stringify({ jsonrpc: '2.0', ...message });
}

/** Returns the progress token of a request or of a progress notification. */
export function readProgressToken({ params }: Message): string | number | undefined {
  const { _meta: meta, progressToken = isObject(meta) ? meta.progressToken : undefined } = params ?? {};
  return typeof progressToken === 'string' || typeof progressToken === 'number' ? progressToken : undefined;
}

/** Returns the same request with another progress token. */
export function withProgressToken(message: Message, progressToken: string): Message {
  const { _meta: meta } = message.params ?? {};
  return { ...message, params: { ...message.params, _meta: { ...Object(meta), progressToken } } };
}
