/**
 * What a host and its keeper say to each other: lines, each with a letter in front.
 *
 * `M` is a message of the protocol as it stands, `C` is for host and keeper alone, `E` is what the server wrote to stderr.
 */
import { LineReader } from '../../dialects/shared/bytes/line-reader.ts';
import { isObject } from '../../is-object.ts';
import type { Joined, KeptCall, RequestFailure } from '../transports/keeping-transport.ts';

/** From a host. */
export type HostWord =
  | { readonly word: 'hello'; readonly token: string }
  /** The request with this id, which comes next, is a call. */
  | { readonly word: 'keep'; readonly id: number; readonly call: KeptCall }
  /** What became of a call that another host sent? */
  | { readonly word: 'join'; readonly callId: string; readonly wantsAnswer: boolean }
  /** The work of a call is not wanted any more. */
  | { readonly word: 'cancel'; readonly callId: string }
  /** What there is to know of a call is on disk. */
  | { readonly word: 'done'; readonly callId: string }
  /** The server did not stop the work of this call: it is to be ended, unless it works at another one. */
  | { readonly word: 'end'; readonly callId: string }
  | { readonly word: 'bye' };

/** From a keeper. */
export type KeeperWord =
  | { readonly word: 'welcome'; readonly keeper: string; readonly mark: string; readonly pid: number }
  | Joined
  /** A message was too long to be kept: the answer with this id, or one that nobody waits for. */
  | { readonly word: 'oversized'; readonly id?: number; readonly bytes: number }
  /** The answer to this request cannot come any more. */
  | { readonly word: 'refused'; readonly id: number; readonly failure: RequestFailure }
  /** What the server asks next, under this id, it asks for this call. */
  | { readonly word: 'asks'; readonly id: string | number; readonly callId: string }
  /** The server works at other calls, and was not ended for this one. */
  | { readonly word: 'busy'; readonly callId: string }
  /** What the server tells next, it tells on the connection of this call. */
  | { readonly word: 'tells'; readonly callId: string }
  /** What comes next has been told before, and is for this call alone. */
  | { readonly word: 'again'; readonly callId: string }
  /** The server writes a line without end. */
  | { readonly word: 'endless'; readonly bytes: number }
  /** To a host that goes: the server goes on, for others or for a call that is open. */
  | { readonly word: 'stays' }
  /** The server does not run any more; what it started is being ended. */
  | { readonly word: 'exited' }
  /** The server has ended, and all that it started. */
  | { readonly word: 'ended' };

export interface FrameHandlers<Word> {
  onMessage(line: string): void;
  onWord(word: Word): void;
  onStderr?(text: string): void;
}

export function toMessageFrame(line: string): string {
  return `M${line}\n`;
}

export function toWordFrame(word: HostWord | KeeperWord): string {
  return `C${JSON.stringify(word)}\n`;
}

export function toStderrFrame(text: string): string {
  return `E${JSON.stringify(text)}\n`;
}

/** Reads frames from the bytes of a socket; what is none is let go. */
export function readFrames<Word>(maxBytes: number, handlers: FrameHandlers<Word>): (chunk: Buffer) => void {
  const reader = new LineReader<undefined>({
    maxLineBytes: maxBytes,
    onLine: (line) => readFrame(line, handlers),
    onOversized: () => {},
    createOutline: () => ({ scan: () => {}, read: () => undefined }),
  });
  return (chunk) => reader.push(chunk);
}

function readFrame<Word>(line: Buffer, handlers: FrameHandlers<Word>): void {
  const body = line.toString('utf8', 1);
  const kind = String.fromCharCode(line[0] ?? 0);
  if (kind === 'M') handlers.onMessage(body);
  const value = kind === 'M' ? undefined : parseJson(body);
  if (kind === 'C' && isObject(value) && typeof value.word === 'string') handlers.onWord(value as Word);
  if (kind === 'E' && typeof value === 'string') handlers.onStderr?.(value);
}

/** Nothing for what is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
