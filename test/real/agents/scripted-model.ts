/**
 * Models that decide by what their agent sends them, served on loopback as a Responses API (Codex) and as chat completions
 * (opencode). A model is asked a limited number of times; after that it only says so, and the agent's turn ends.
 */
import { readAdvice } from '../../server/plain-client.ts';
import { readChat, sendChat } from './chat-wire.ts';
import { type LoopbackApi, openLoopbackApi } from './loopback-api.ts';
import { readResults, sendMove } from './responses-wire.ts';

/** A call of a tool of one of the agent's MCP servers. */
export interface McpCall {
  readonly server: string;
  readonly tool: string;
  readonly args: object;
}

/** What the model does next: it has a tool called, or ends its turn with words. */
export type Move = McpCall | string;

/** Decides by the texts of all tool results so far, oldest first. */
export type Model = (results: readonly string[]) => Move | Promise<Move>;

export interface ScriptedModel extends LoopbackApi {
  /** The tool results that the model has been given. */
  readonly results: readonly string[];
}

const MAX_REQUESTS = 30;

export async function openModel(model: Model): Promise<ScriptedModel> {
  let results: readonly string[] = [];
  let requests = 0;
  const decide = (seen: readonly string[]) => {
    results = seen.length > results.length ? seen : results;
    requests += 1;
    return requests > MAX_REQUESTS ? `asked ${requests} times` : model(seen);
  };
  const api = await openLoopbackApi({
    '/v1/responses': (body, response) => sendMove(response, async () => decide(readResults(body))),
    async '/v1/chat/completions'(body, response) {
      const { hasTools, results: seen } = readChat(body);
      // Without tools it is asked for the title of the conversation.
      await sendChat(response, hasTools ? await decide(seen) : 'a title');
    },
  });
  return {
    ...api,
    get results() {
      return results;
    },
  };
}

/** Makes the same call again and again until a result has the words. */
export function insistOn(call: McpCall, words: string): Model {
  return (results) => (results.at(-1)?.includes(words) ? 'done' : call);
}

/** Makes a call and then does what each result tells it to do. */
export function obeyAfter(call: McpCall): Model {
  return (results) => {
    const last = results.at(-1);
    if (last === undefined) return call;
    const { name, args } = readAdvice(last);
    return name === '' ? 'done' : { server: call.server, tool: name, args };
  };
}

/** Makes calls one after the other, whatever comes of them. */
export function playCalls(...calls: readonly McpCall[]): Model {
  return (results) => calls[results.length] ?? 'done';
}

/** Makes a call and, when its result puts a question in words, answers that as the result says it can be. */
export function answerAfter(call: McpCall, content: object): Model {
  return (results) => {
    const last = results.at(-1);
    if (last === undefined) return call;
    const [tool] = /\w*task_answer/.exec(last) ?? [];
    const [, task_id] = /"task_id":"([^"]+)"/.exec(last) ?? [];
    const [, key] = /"key":"([^"]+)"/.exec(last) ?? [];
    return tool === undefined ? 'done' : { server: call.server, tool, args: { task_id, key, content } };
  };
}
