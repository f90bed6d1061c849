/** What a chat completions API is sent and streams, as far as opencode needs it. */
import type { ServerResponse } from 'node:http';
import type { Move } from './scripted-model.ts';

interface ChatRequest {
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly unknown[];
}

interface ChatMessage {
  readonly role: string;
  readonly content?: string | readonly { readonly text?: string }[];
}

/** The tool results of a conversation, and whether there are tools to call. */
export function readChat(body: unknown): { hasTools: boolean; results: string[] } {
  const { messages, tools = [] } = body as ChatRequest;
  const results = messages.filter(({ role }) => role === 'tool').map(({ content = '' }) => toText(content));
  return { hasTools: tools.length > 0, results };
}

function toText(content: NonNullable<ChatMessage['content']>): string {
  return typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('');
}

/** Streams one answer of the model. */
export async function sendChat(response: ServerResponse, move: Move): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const id = `chat_${counter++}`;
  const send = (choice: object, more: object = {}) => {
    const choices = [{ index: 0, ...choice }];
    const chunk = { id, object: 'chat.completion.chunk', created: 0, model: 'stand-in', choices, ...more };
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  };
  const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
  send({ delta: { role: 'assistant', ...toDelta(move, id) }, finish_reason: null });
  send({ delta: {}, finish_reason: typeof move === 'string' ? 'stop' : 'tool_calls' }, { usage });
  response.end('data: [DONE]\n\n');
}

let counter = 0;

/** opencode names a tool by its server and its own name. */
function toDelta(move: Move, id: string): object {
  if (typeof move === 'string') return { content: move };
  const called = { name: `${move.server}_${move.tool}`, arguments: JSON.stringify(move.args) };
  return { tool_calls: [{ index: 0, id: `${id}_call`, type: 'function', function: called }] };
}
