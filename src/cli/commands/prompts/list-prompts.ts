import { visitEntries } from '../../../dialects/ui-prompts/log/log-entries.ts';
import { type RequestEntry, type ResponseEntry, toKind } from '../../../dialects/ui-prompts/wire.ts';
import { toPlainText } from '../../../text/plain-text.ts';
import { toDurationText } from '../../command-line/duration.ts';
import { checkLog, findPlace } from '../../stores/prompt-place.ts';
import { toTable } from '../../terminal/format.ts';
import { toShown, toSummary } from '../../terminal/prompt-text.ts';
import type { PromptsListContext } from './prompt-commands.ts';

/** One prompt, with its response if there is one. */
interface ListedPrompt {
  readonly requestId: string;
  readonly state: string;
  readonly request: RequestEntry;
  readonly response?: ResponseEntry;
}

/** Lists pending questions first, then results that have no response yet; with `--all` also answered prompts. */
export async function listPrompts({ values, terminal }: PromptsListContext): Promise<number> {
  const place = await findPlace(values);
  checkLog(place);
  const { prompts, skippedLines } = await readPrompts(place.path);
  const shown = values.all ? prompts : prompts.filter(({ state }) => state === PENDING);
  if (terminal.json) {
    for (const prompt of shown) terminal.printJson(prompt);
    if (skippedLines > 0) terminal.remark(JSON.stringify({ skippedLines }));
    return 0;
  }
  if (shown.length > 0) for (const line of toTable(HEAD, shown.map(toRow))) terminal.print(line);
  else terminal.remark(prompts.length === 0 ? 'no prompts' : 'no pending prompts; see --all');
  if (skippedLines > 0) terminal.remark(`${skippedLines} lines of the log are no entries`);
  return 0;
}

const PENDING = 'pending';
const HEAD = ['AGE', 'STATE', 'KIND', 'REQUEST', 'TEXT'];

async function readPrompts(path: string): Promise<{ prompts: ListedPrompt[]; skippedLines: number }> {
  const requests = new Map<string, RequestEntry>();
  const responses = new Map<string, ResponseEntry>();
  const skippedLines = await visitEntries(path, {
    visit(entry) {
      if (entry.action === 'request') requests.set(entry.requestId, entry);
      // An app acts on the first response only; later ones do not count.
      else if (!responses.has(entry.requestId)) responses.set(entry.requestId, entry);
    },
  });
  const prompts = [...requests.values()].map((request) => toListed(request, responses.get(request.requestId)));
  return { prompts: prompts.sort(compare), skippedLines };
}

function toListed(request: RequestEntry, response: ResponseEntry | undefined): ListedPrompt {
  const { requestId, prompt } = request;
  const shown = { requestId, request: toShown(request, undefined) };
  if (response === undefined) return { ...shown, state: PENDING };
  return { ...shown, state: String(response.response.status ?? ''), response: toShown(response, prompt) };
}

function compare(a: ListedPrompt, b: ListedPrompt): number {
  const order = toRank(a) - toRank(b);
  if (order !== 0) return order;
  return a.request.ts < b.request.ts ? -1 : a.request.ts > b.request.ts ? 1 : 0;
}

function toRank({ state, request }: ListedPrompt): number {
  if (state !== PENDING) return 2;
  return toKind(request.prompt) === 'result' ? 1 : 0;
}

function toRow({ requestId, state, request }: ListedPrompt): string[] {
  const at = Date.parse(request.ts);
  const age = Number.isNaN(at) ? '' : toDurationText(Date.now() - at);
  const texts = [state, toKind(request.prompt), requestId, toSummary(request.prompt)];
  return [age, ...texts.map(toPlainText)];
}
