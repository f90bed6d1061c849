/**
 * Interprets a hand-over as a model would: which tool to call next, with which arguments. It looks for key words and does not
 * depend on the exact wording.
 */

import { isObject } from '../../is-object.ts';
import { cutText } from '../../text/cut-text.ts';
import type { Result } from '../wire/read-messages.ts';
import type { PersonQuestion } from './scene.ts';

export interface Advice {
  readonly name: string;
  readonly args: Result;
  /** The question to ask a person first; the answer becomes part of the arguments. */
  readonly question?: PersonQuestion;
}

// No hand-over of ours is longer.
const MAX_READ = 50_000;

/** Returns undefined when the result is final. */
export function readAdvice(result: Result, tools: readonly string[]): Advice | undefined {
  const meta = isObject(result._meta) ? result._meta['holdfast/task'] : undefined;
  const { taskId } = isObject(meta) ? meta : {};
  if (taskId === undefined) return undefined;
  const text = cutText(toText(result), MAX_READ);
  const answering = findTool(text, tools, 'task_answer');
  if (answering !== undefined) {
    const key = /"key"\s*:\s*"([^"]+)"/.exec(text)?.[1];
    const args = { task_id: taskId, ...(key !== undefined && { key }) };
    return { name: answering, args, question: readQuestion(text) };
  }
  const name = findTool(text, tools, 'task_wait');
  if (name === undefined) throw new Error(`no tool to go on with is named: ${text}`);
  return { name, args: readObject(text.slice(text.indexOf(name))) ?? { task_id: taskId } };
}

export function toText({ content }: Result): string {
  const parts = Array.isArray(content) ? content : [];
  return parts.map((part) => (isObject(part) && typeof part.text === 'string' ? part.text : '')).join('\n');
}

function readQuestion(text: string): PersonQuestion {
  const message = /\basks: (.*)/.exec(text)?.[1] ?? text;
  const at = text.search(/\bschema\b/);
  const schema = at < 0 ? undefined : readObject(text.slice(at));
  return { message, ...(schema && { schema }) };
}

/** Returns the tool that the text names, by the name in the tool list. */
function findTool(text: string, tools: readonly string[], kind: string): string | undefined {
  const [named] = new RegExp(`[\\w.-]*${kind}\\b`).exec(text) ?? [];
  if (named !== undefined && !tools.includes(named)) throw new Error(`there is no tool ${named} to call: ${text}`);
  return named;
}

/** Parses the first JSON object in the text. */
function readObject(text: string): Result | undefined {
  const from = text.indexOf('{');
  for (let to = text.indexOf('}', from); from >= 0 && to >= 0; to = text.indexOf('}', to + 1)) {
    try {
      return JSON.parse(text.slice(from, to + 1)) as Result;
    } catch {
      // The object does not end at this brace.
    }
  }
  return undefined;
}
