/**
 * A stand-in for the model's API on loopback: it plays the plan whose name occurs in the prompt, step by step, and records
 * what it is asked. It is also the proxy of the programs under test, so that what they want of other hosts is seen, and
 * refused.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';

/** One answer of the model: what it says, and the command it wants to have run. */
export interface ModelStep {
  readonly say?: string;
  readonly shell?: string;
  /** A patch in the form of `apply_patch`, without its first and last line. */
  readonly patch?: string;
  /** The answer is held back until then. */
  readonly after?: Promise<unknown>;
}

export interface ResponsesApi {
  readonly url: string;
  /** What the model was asked so far: the user's words in each request, oldest first. */
  readonly asked: string[][];
  /** Hosts other than the API that somebody tried to reach. */
  readonly strangers: string[];
  close(): Promise<void>;
}

interface InputItem {
  readonly type: string;
  readonly role?: string;
  readonly content?: readonly { readonly text?: string }[];
}

export async function openResponsesApi(plans: Readonly<Record<string, readonly ModelStep[]>>): Promise<ResponsesApi> {
  const asked: string[][] = [];
  const strangers: string[] = [];
  const server = createServer((request, response) => {
    if (request.method !== 'POST' || request.url !== '/v1/responses') {
      strangers.push(`${request.method} ${request.url}`);
      response.writeHead(404).end();
      return;
    }
    void answer(request, response).catch((error) => response.destroy(error));
  });
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { input } = JSON.parse(await text(request)) as { input: InputItem[] };
    asked.push(input.filter(isPrompt).map(toText));
    await play(response, findStep(plans, input));
  };
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    strangers.push(`CONNECT ${request.url}`);
    socket.on('error', () => {});
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    strangers,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Codex tells the model about its surroundings in the user's name as well. */
function isPrompt(item: InputItem): boolean {
  return item.type === 'message' && item.role === 'user' && !toText(item).includes('<environment_context>');
}

function toText(item: InputItem): string {
  return item.content?.map((part) => part.text ?? '').join('') ?? '';
}

/** The step after all commands that have been run since the last prompt. */
function findStep(plans: Readonly<Record<string, readonly ModelStep[]>>, input: readonly InputItem[]): ModelStep {
  const at = input.findLastIndex(isPrompt);
  const prompt = input[at] === undefined ? '' : toText(input[at]);
  const name = Object.keys(plans).find((key) => prompt.includes(key)) ?? '';
  const done = input.slice(at).filter(({ type }) => type.endsWith('_call_output')).length;
  return plans[name]?.[done] ?? { say: `there is no step ${done} for the prompt ${prompt}` };
}

async function play(response: ServerResponse, step: ModelStep): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (type: string, fields: object) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`);
  const id = `resp_${counter++}`;
  send('response.created', { response: { id } });
  await step.after;
  for (const item of toItems(step, id)) send('response.output_item.done', { item });
  const usage = { input_tokens: 100, output_tokens: 10, total_tokens: 110 };
  send('response.completed', { response: { id, usage } });
  response.end();
}

let counter = 0;

function toItems({ say, shell, patch }: ModelStep, id: string): object[] {
  const items: object[] = [];
  if (say !== undefined) {
    const content = [{ type: 'output_text', text: say }];
    items.push({ type: 'message', id: `${id}_message`, role: 'assistant', content });
  }
  // Models that Codex has no description of get no patch tool: it takes patches out of their commands.
  const cmd = patch === undefined ? shell : `apply_patch <<'EOF'\n*** Begin Patch\n${patch}\n*** End Patch\nEOF`;
  if (cmd !== undefined) {
    const call = { type: 'function_call', id: `${id}_call`, call_id: `${id}_call`, name: 'exec_command' };
    items.push({ ...call, arguments: JSON.stringify({ cmd, yield_time_ms: LONG_MS }) });
  }
  return items;
}

/** Codex hands a command's output to the model after this time at the latest, and the model would have to ask again. */
const LONG_MS = 600_000;
