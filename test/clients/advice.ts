/**
 * What a model makes of a hand-over: which tool to call next, with which arguments. It goes by the words as a model would,
 * not by their exact wording.
 */
import type { Result } from './read-messages.ts';

export interface Advice {
  readonly taskId: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Whether it is to bring an answer of a person's. */
  readonly isQuestion: boolean;
}

/** Nothing when the result is final. */
export function readAdvice(result: Result, tools: readonly string[]): Advice | undefined {
  const meta = (result._meta as Result | undefined)?.['holdfast/task'] as { taskId?: string } | undefined;
  const { taskId } = meta ?? {};
  if (taskId === undefined) return undefined;
  const text = toText(result);
  const answering = findTool(text, tools, 'task_answer');
  if (answering !== undefined) {
    const key = /"key"\s*:\s*"([^"]+)"/.exec(text)?.[1];
    const args = { task_id: taskId, ...(key !== undefined && { key }), content: { sure: true } };
    return { taskId, name: answering, args, isQuestion: true };
  }
  const name = findTool(text, tools, 'task_wait');
  if (name === undefined) throw new Error(`no tool to go on with is named: ${text}`);
  return { taskId, name, args: readObject(text.slice(text.indexOf(name))) ?? { task_id: taskId }, isQuestion: false };
}

export function toText({ content }: Result): string {
  return ((content ?? []) as { text?: string }[]).map(({ text = '' }) => text).join('\n');
}

/** A tool that the text names, as the model is shown it. */
function findTool(text: string, tools: readonly string[], kind: string): string | undefined {
  const [named] = new RegExp(`[\\w.-]*${kind}\\b`).exec(text) ?? [];
  if (named !== undefined && !tools.includes(named)) throw new Error(`there is no tool ${named} to call: ${text}`);
  return named;
}

/** The first JSON object of the text. */
function readObject(text: string): Readonly<Record<string, unknown>> | undefined {
  const from = text.indexOf('{');
  for (let to = text.indexOf('}', from); from >= 0 && to >= 0; to = text.indexOf('}', to + 1)) {
    try {
      return JSON.parse(text.slice(from, to + 1)) as Record<string, unknown>;
    } catch {
      // It goes on behind this brace.
    }
  }
  return undefined;
}
