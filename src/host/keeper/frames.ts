/**
 * The protocol between a host and its keeper: lines with a one-letter prefix.
 *
 * `M` is an unchanged MCP message, `C` is a control message between host and keeper, `E` is stderr output of the server.
 */
import { LineReader } from '../../dialects/shared/bytes/line-reader.ts';
import { isObject } from '../../is-object.ts';
import type { Joined, KeptCall, RequestFailure } from '../transports/keeping-transport.ts';

/** Control messages from a host. */
export type HostControl =
  | { readonly word: 'hello'; readonly token: string }
  /** The next message, a request with this id, is a call. */
  | { readonly word: 'keep'; readonly id: number; readonly call: KeptCall }
  /** Asks for the state of a call that another host sent. */
  | { readonly word: 'join'; readonly callId: string; readonly wantsAnswer: boolean }
  /** Cancels the work of a call. */
  | { readonly word: 'cancel'; readonly callId: string }
  /** Everything about the call is on disk. */
  | { readonly word: 'done'; readonly callId: string }
  /** The server did not stop the work of this call: end the server, unless it works on another call. */
  | { readonly word: 'end'; readonly callId: string }
  | { readonly word: 'bye' };

/** Control messages from a keeper. */
export type KeeperControl =
  | { readonly word: 'welcome'; readonly keeper: string; readonly mark: string; readonly pid: number }
  | Joined
  /** A message was too long to be kept: the response with this id, or a message that no request waits for. */
  | { readonly word: 'oversized'; readonly id?: number; readonly bytes: number }
  /** The response to this request cannot arrive any more. */
  | { readonly word: 'refused'; readonly id: number; readonly failure: RequestFailure }
  /** The next request of the server, with this id, is for this call. */
  | { readonly word: 'asks'; readonly id: string | number; readonly callId: string }
  /** The server works on other calls, and was not ended for this one. */
  | { readonly word: 'busy'; readonly callId: string }
  /** The next notification of the server arrived on the connection of this call. */
  | { readonly word: 'tells'; readonly callId: string }
  /** The next message is a replay, for this call only. */
  | { readonly word: 'again'; readonly callId: string }
  /** The server writes a line that does not end. */
  | { readonly word: 'endless'; readonly bytes: number }
  /** Reply to `bye`: the server keeps running, for other hosts or for an open call. */
  | { readonly word: 'stays' }
  /** The server has exited; processes that it started are being ended. */
  | { readonly word: 'exited' }
  /** The server has ended, and every process it started. */
  | { readonly word: 'ended' };

export interface FrameHandlers<Control> {
  onMessage(line: string): void;
  onControl(control: Control): void;
  onStderr?(text: string): void;
}

export function toMessageFrame(line: string): string {
  return `M${line}\n`;
}

export function toControlFrame(control: HostControl | KeeperControl): string {
  return `C${JSON.stringify(control)}\n`;
}

export function toStderrFrame(text: string): string {
  return `E${JSON.stringify(text)}\n`;
}

/** Reads frames from the bytes of a socket; ignores lines that are no frames. */
export function readFrames<Control>(maxBytes: number, handlers: FrameHandlers<Control>): (chunk: Buffer) => void {
  const reader = new LineReader<undefined>({
    maxLineBytes: maxBytes,
    onLine: (line) => readFrame(line, handlers),
    onOversized: () => {},
    createOutline: () => ({ scan: () => {}, read: () => undefined }),
  });
  return (chunk) => reader.push(chunk);
}

function readFrame<Control>(line: Buffer, handlers: FrameHandlers<Control>): void {
  const body = line.toString('utf8', 1);
  const kind = String.fromCharCode(line[0] ?? 0);
  if (kind === 'M') handlers.onMessage(body);
  const value = kind === 'M' ? undefined : parseJson(body);
  if (kind === 'C' && isObject(value) && typeof value.word === 'string') handlers.onControl(value as Control);
  if (kind === 'E' && typeof value === 'string') handlers.onStderr?.(value);
}

/** Returns `undefined` for text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
