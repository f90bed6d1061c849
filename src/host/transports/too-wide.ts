/**
 * Detects, before parsing, messages of a server with more members than may be validated one by one.
 *
 * The SDK validates each member of a message, of its `params`, `result` and `_meta`, and all of a request (a question of the
 * server), at many times the cost of parsing: a million of them, which fit into one response, block the host for seconds.
 */
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { FrameOutline } from '../../dialects/shared/bytes/frame-outline.ts';
import { findTextEnd } from '../../dialects/shared/bytes/text-end.ts';
import { TaskError } from '../../errors.ts';
import { HOST_MAX_MEMBERS } from '../../limits.ts';
import { readAnswered, toRefusedMessage } from './too-large.ts';

export interface WideMessage {
  /** The error for the request that waits for the message; `undefined` when the message is no response. */
  readonly instead: JSONRPCMessage | undefined;
  readonly error: TaskError;
}

// A member takes at least four bytes, including its comma.
export const MIN_WIDE = 4 * HOST_MAX_MEMBERS;

/** Checks the text of a message; `undefined` when it is within the limit, or no message. */
export function findWide(text: string): WideMessage | undefined {
  if (text.length < MIN_WIDE) return undefined;
  const { own, all } = countMembers(text);
  if (own <= HOST_MAX_MEMBERS && all <= HOST_MAX_MEMBERS) return undefined;
  const outline = readOutline(text);
  if (own <= HOST_MAX_MEMBERS && !isRequest(outline)) return undefined;
  const expected = `expected ${HOST_MAX_MEMBERS} in its params, result or _meta, and in all of a question`;
  const error = new TaskError('RESULT_TOO_LARGE', `the message of the server has too many members; ${expected}`);
  const id = readAnswered(outline);
  return { error, instead: id === undefined ? undefined : toRefusedMessage(id, error) };
}

// Matches what precedes the value of `_meta`. A name that is written with escapes, or far from its value, may be `_meta` too.
const META = /(?:"_meta"|\\[^"]{0,20}")\s{0,9}:\s{0,9}$|\s{10}:?\s{0,9}$/;
const META_LENGTH = 50;

/**
 * Counts the members of the two upper levels and of `_meta` (`own`), and the members and elements of all levels; stops once `own`
 * exceeds the limit.
 */
function countMembers(text: string): { readonly own: number; readonly all: number } {
  // Messages of a batch are one level deeper.
  let [level, own, all, isMeta] = [isBatch(text) ? -1 : 0, 0, 0, false];
  for (let at = 0; at < text.length && own <= HOST_MAX_MEMBERS; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: // "
        at = findTextEnd(text, at);
        break;
      case 0x2c: // ,
        all += 1;
        break;
      case 0x3a: // :
        own += level <= 2 || isMeta ? 1 : 0;
        break;
      case 0x7b: // {
      case 0x5b: // [
        isMeta ||= level === 2 && META.test(text.slice(Math.max(0, at - META_LENGTH), at));
        level += 1;
        break;
      case 0x7d: // }
      case 0x5d: // ]
        level -= 1;
        isMeta &&= level > 2;
        break;
    }
  }
  return { own, all };
}

function readOutline(text: string): unknown {
  const outline = new FrameOutline();
  outline.scan(Buffer.from(text));
  return outline.read();
}

function isBatch(text: string): boolean {
  return text.trimStart().startsWith('[');
}

/** Whether a message may be, or contain, a request: also when it is a batch or cannot be read. */
function isRequest(outline: unknown): boolean {
  if (Array.isArray(outline)) return true;
  const { method, id } = (outline ?? { method: '', id: '' }) as { readonly method?: unknown; readonly id?: unknown };
  return method !== undefined && id !== undefined;
}
