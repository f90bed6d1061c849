/** A message for whoever asked. */
import { isTaskError } from '../../index.ts';
export interface Message {
  readonly type: 'success' | 'info' | 'warning' | 'error';
  readonly text: string;
  readonly details?: string;
}

/** The one shape of every answer: whether it went well, what came out, and what there is to say. */
export interface Answer<Data = object> {
  readonly success: boolean;
  readonly data: Data;
  readonly messages: readonly Message[];
}

export function toAnswer<Data>(data: Data, ...messages: readonly Message[]): Answer<Data> {
  return { success: true, data, messages };
}

/** Runs a tool; a failure that has a name becomes an answer that says it. */
export async function answer(what: string, run: () => Answer<unknown> | Promise<Answer<unknown>>) {
  try {
    return toToolResult(await run());
  } catch (error) {
    if (!isTaskError(error)) throw error;
    const text = `Failed to ${what}: ${error.message}`;
    return toToolResult({ success: false, data: {}, messages: [{ type: 'error', text, details: error.code }] });
  }
}

/** An answer as MCP carries it: as JSON for the model, and as a value for programs. */
function toToolResult(answer: Answer<unknown>) {
  return {
    content: [{ type: 'text', text: JSON.stringify(answer, null, 2) }],
    structuredContent: answer,
    ...(answer.success ? {} : { isError: true }),
  };
}
