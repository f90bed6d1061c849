/** Explains why a wait has found no result: what the log holds instead, in one word and one sentence. */

import type { Json } from '../../task/json.ts';
import { cutText } from '../../text/cut-text.ts';
import type { JsonObject } from '../host-port.ts';
import { visitEntries } from './log/log-entries.ts';
import { isObject, toKind, toResultText } from './wire.ts';

/** What was found in a log in place of a result, or the result. */
export type WaitReason =
  /** There is a result with a text. */
  | 'found'
  /** The log does not exist, has no line, or cannot be read. */
  | 'no-log'
  /** No entry names the task. */
  | 'nothing'
  /** A line names the task, but it is not JSON. */
  | 'corrupt'
  /** An entry names the task, but its type is another. */
  | 'wrong-type'
  /** An entry names the task, but its action is another. */
  | 'wrong-action'
  /** An entry names the task, but its prompt is of another kind. */
  | 'wrong-kind'
  /** A result names the task under another `requestId`. */
  | 'other-request-id'
  /** The result has no text. */
  | 'no-text';

/** Why the result of a task was not found in a log, or that it was found. */
export type WaitExplanation = {
  readonly reason: WaitReason;
  /** The explanation for a person. */
  readonly message: string;
  /** The kind, action, type, id or line that was found instead. */
  readonly found?: string;
  /** How many lines of the log are not entries. */
  readonly skippedLines: number;
};

/** Which task to look for in a log. */
export interface ExplainOptions {
  readonly taskId: string;
  readonly requestIdPrefix: string;
}

/** Reads the whole log once and reports the entry that comes nearest to a result for the task. */
export async function explainWait(path: string, options: ExplainOptions): Promise<WaitExplanation> {
  let best: Finding = { reason: 'no-log' };
  const look = (line: string) => {
    const finding = judge(line, options);
    // Of several equally near entries, the newest is the relevant one.
    if (RANK.indexOf(finding.reason) >= RANK.indexOf(best.reason)) best = finding;
  };
  try {
    const skippedLines = await visitEntries(path, { visit: (_entry, line) => look(line), skip: look });
    return { ...best, message: toMessage(best, { ...options, path }), skippedLines };
  } catch (error) {
    const message = `${path} cannot be read: ${(error as Error).message}`;
    return { reason: 'no-log', message, skippedLines: 0 };
  }
}

interface Finding {
  readonly reason: WaitReason;
  readonly found?: string;
}

// Nearest last: the nearest miss helps the app's author most.
const RANK: readonly WaitReason[] = [
  'no-log',
  'nothing',
  'other-request-id',
  'corrupt',
  'wrong-type',
  'wrong-action',
  'wrong-kind',
  'no-text',
  'found',
];

const MAX_SHOWN = 80;

function judge(line: string, options: ExplainOptions): Finding {
  const value = parseJson(line);
  if (!isObject<Json>(value)) {
    return line.includes(options.taskId)
      ? { reason: 'corrupt', found: cutText(line.trim(), MAX_SHOWN) }
      : { reason: 'nothing' };
  }
  const requestId = typeof value.requestId === 'string' ? value.requestId.trim() : '';
  const { taskId, requestIdPrefix } = options;
  if (requestId === taskId || requestId === `${requestIdPrefix}${taskId}`) return judgeOwn(value);
  const isNear = requestId.includes(taskId) && judgeOwn(value).reason === 'found';
  return {
    reason: isNear ? 'other-request-id' : 'nothing',
    ...(requestId !== '' && { found: cutText(requestId, MAX_SHOWN) }),
  };
}

/** Returns what keeps an entry of the task from being its result. */
function judgeOwn({ type, action, prompt }: JsonObject): Finding {
  if (type !== 'ui_prompt') return { reason: 'wrong-type', found: toShown(type) };
  if (action !== 'request') return { reason: 'wrong-action', found: toShown(action) };
  const body = isObject(prompt) ? prompt : {};
  if (toKind(body) !== 'result') return { reason: 'wrong-kind', found: toKind(body) };
  return { reason: toResultText(body) === '' ? 'no-text' : 'found' };
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function toShown(value: unknown): string {
  return typeof value === 'string'
    ? cutText(value, MAX_SHOWN)
    : `no text (${cutText(JSON.stringify(value) ?? 'absent', MAX_SHOWN)})`;
}

function toMessage({ reason, found }: Finding, options: ExplainOptions & { readonly path: string }): string {
  const { taskId, requestIdPrefix, path } = options;
  const expected = [taskId, `${requestIdPrefix}${taskId}`].map((id) => JSON.stringify(id)).join(' or ');
  const [task, seen] = [JSON.stringify(taskId), JSON.stringify(found)];
  switch (reason) {
    case 'found':
      return `${path} has a result for ${task}`;
    case 'no-log':
      return `${path} is not there or has no line yet; the app writes its result to another place, or has not begun`;
    case 'nothing': {
      const other = found === undefined ? '' : `, and its newest is for ${seen}`;
      return `${path} has no entry for ${task}${other}; a result needs the requestId ${expected}`;
    }
    case 'corrupt':
      return `${path} names ${task} in a line that is no JSON: ${seen}; an entry is one whole object in one line`;
    case 'other-request-id':
      return `${path} has a result with the requestId ${seen}; expected ${expected}`;
    case 'wrong-type':
      return `${path} names ${task} in an entry with the type ${seen}; a result has "ui_prompt"`;
    case 'wrong-action':
      return `${path} names ${task} in an entry with the action ${seen}; a result has "request"`;
    case 'wrong-kind':
      return `${path} names ${task} in a prompt of the kind ${seen}; a result has "result"`;
    case 'no-text':
      return `${path} has a result for ${task} without a text in markdown, result or content`;
  }
}
