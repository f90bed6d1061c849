/** A model that plays the plan whose name occurs in the prompt, step by step, and records what it is asked. */
import type { ServerResponse } from 'node:http';
import { type LoopbackApi, openLoopbackApi } from './loopback-api.ts';
import { sendResponse, toCall, toMessage } from './responses-wire.ts';

/** One answer of the model: what it says, and the command it wants to have run. */
export interface ModelStep {
  readonly say?: string;
  readonly shell?: string;
  /** A patch in the form of `apply_patch`, without its first and last line. */
  readonly patch?: string;
  /** The answer is held back until then. */
  readonly after?: Promise<unknown>;
}

export interface ResponsesApi extends LoopbackApi {
  /** What the model was asked so far: the user's words in each request, oldest first. */
  readonly asked: string[][];
}

interface InputItem {
  readonly type: string;
  readonly role?: string;
  readonly content?: readonly { readonly text?: string }[];
}

export async function openResponsesApi(plans: Readonly<Record<string, readonly ModelStep[]>>): Promise<ResponsesApi> {
  const asked: string[][] = [];
  const api = await openLoopbackApi({
    async '/v1/responses'(body, response) {
      const { input } = body as { input: InputItem[] };
      asked.push(input.filter(isPrompt).map(toText));
      await play(response, findStep(plans, input));
    },
  });
  return { ...api, asked };
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
  await sendResponse(response, async (id) => {
    await step.after;
    return toItems(step, id);
  });
}

function toItems({ say, shell, patch }: ModelStep, id: string): object[] {
  // Models that Codex has no description of get no patch tool: it takes patches out of their commands.
  const cmd = patch === undefined ? shell : `apply_patch <<'EOF'\n*** Begin Patch\n${patch}\n*** End Patch\nEOF`;
  const run = { name: 'exec_command', args: { cmd, yield_time_ms: LONG_MS } };
  return [...(say === undefined ? [] : [toMessage(id, say)]), ...(cmd === undefined ? [] : [toCall(id, run)])];
}

/** Codex hands a command's output to the model after this time at the latest, and the model would have to ask again. */
const LONG_MS = 600_000;
