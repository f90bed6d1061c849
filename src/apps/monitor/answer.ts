/** A message for the caller. */
import { isTaskError } from '../../index.ts';
export interface Message {
  readonly type: 'success' | 'info' | 'warning' | 'error';
  readonly text: string;
  readonly details?: string;
}

/** The shape of every answer: whether it succeeded, its data, and messages. */
export interface Answer<Data = object> {
  readonly success: boolean;
  readonly data: Data;
  readonly messages: readonly Message[];
}

export function toAnswer<Data>(data: Data, ...messages: readonly Message[]): Answer<Data> {
  return { success: true, data, messages };
}

/** Runs a tool; turns a `TaskError` into an answer with its message. */
export async function answer(what: string, run: () => Answer<unknown> | Promise<Answer<unknown>>) {
  try {
    return toToolResult(await run());
  } catch (error) {
    if (!isTaskError(error)) throw error;
    const text = `Failed to ${what}: ${error.message}`;
    return toToolResult({ success: false, data: {}, messages: [{ type: 'error', text, details: error.code }] });
  }
}

/** Converts an answer to an MCP result: JSON text for the model, and structured content for programs. */
function toToolResult(answer: Answer<unknown>) {
  return {
    content: [{ type: 'text', text: JSON.stringify(answer, null, 2) }],
    structuredContent: answer,
    ...(answer.success ? {} : { isError: true }),
  };
}
