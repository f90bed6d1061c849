/** What a Responses API streams, as far as Codex needs it. */
import type { ServerResponse } from 'node:http';
import type { Move } from './scripted-model.ts';

/** Sends one response of the items given; the connection is open while they are awaited. */
export async function sendResponse(
  response: ServerResponse,
  toItems: (id: string) => Promise<readonly object[]>,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (type: string, fields: object) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`);
  const id = `resp_${counter++}`;
  send('response.created', { response: { id } });
  for (const item of await toItems(id)) send('response.output_item.done', { item });
  const usage = { input_tokens: 100, output_tokens: 10, total_tokens: 110 };
  send('response.completed', { response: { id, usage } });
  response.end();
}

let counter = 0;

/** What the model says. */
export function toMessage(id: string, text: string): object {
  return { type: 'message', id: `${id}_message`, role: 'assistant', content: [{ type: 'output_text', text }] };
}

/** A tool the model wants to have called. */
export function toCall(id: string, call: { name: string; namespace?: string; args: object }): object {
  const { args, ...named } = call;
  const ids = { id: `${id}_call`, call_id: `${id}_call` };
  return { type: 'function_call', ...ids, ...named, arguments: JSON.stringify(args) };
}

/** Sends what the model does next. */
export async function sendMove(response: ServerResponse, decide: () => Promise<Move>): Promise<void> {
  await sendResponse(response, async (id) => {
    const move = await decide();
    if (typeof move === 'string') return [toMessage(id, move)];
    return [toCall(id, { name: move.tool, namespace: `mcp__${move.server}`, args: move.args })];
  });
}

interface OutputItem {
  readonly type: string;
  readonly output?: string | readonly { readonly text?: string }[];
}

/** The texts of all tool results in a request. */
export function readResults(body: unknown): string[] {
  const { input } = body as { input: readonly OutputItem[] };
  const outputs = input.filter(({ type }) => type === 'function_call_output');
  return outputs.map(({ output = '' }) =>
    typeof output === 'string' ? output : output.map(({ text = '' }) => text).join('\n'),
  );
}
