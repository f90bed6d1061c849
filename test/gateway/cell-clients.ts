/** Clients of one kind each: what every dialect can do with a call, in the same words. */
import { join } from 'node:path';
import { createHost, type Host, type HostOptions } from 'holdfast/host';
import { until } from 'holdfast/testing';
import { createPromptLog } from 'holdfast/ui-prompts';
import { type Message, openSharedHttp, type RawHttp } from '../e2e/raw-client.ts';
import { textOf } from '../host/open-host.ts';
import { fetchLegacy } from '../host/servers/reach-legacy.ts';

export interface CellCall {
  /** The text of its result; questions on the way are answered. */
  text(): Promise<string>;
  /** What was said of its progress, until now. */
  progress(): Promise<readonly string[]>;
  cancel(): Promise<void>;
}

export interface CellClient {
  readonly dialect: string;
  /** Whether it is told of progress. */
  readonly hearsProgress: boolean;
  call(tool: string, args: object): Promise<CellCall>;
}

const PATIENCE = { timeoutMs: 60_000 };
const NAME = { action: 'accept', content: { name: 'Ada' } };

/** One client of each dialect. */
export async function openCellClients(
  url: string,
  dir: string,
): Promise<{ all: CellClient[]; close(): Promise<void> }> {
  const closing = new AbortController();
  const modern = await openSharedHttp(url, 'modern', closing.signal);
  const legacy = await openSharedHttp(url, 'legacy', closing.signal);
  await legacy.listen();
  const options: HostOptions = { ledger: `${dir}/host/calls.db`, onQuestion: () => NAME };
  const host = await createHost(options);
  await host.connect('gateway', { url, fetch: fetchLegacy });
  const asyncTask = { tools: [], taskIdKey: 'taskId', resultSource: 'ui_prompts', pollIntervalMs: 200 };
  await host.connect('prompts', { url, fetch: fetchLegacy, callMeta: { asyncTask } as never });
  const all = [
    toTasks2026(modern),
    toTasks2025(legacy),
    toHosted(host, { dialect: 'job', server: 'gateway', meta: { 'holdfast/job': true }, hearsProgress: true }),
    toPrompted(toHosted(host, { dialect: 'ui-prompts', server: 'prompts', meta: {}, hearsProgress: false }), dir),
    toHosted(host, { dialect: 'stream', server: 'gateway', meta: { stream: true }, hearsProgress: false }),
    toInline(legacy),
  ];
  const close = async () => {
    closing.abort();
    await host.close();
  };
  return { all, close };
}

function toTasks2026(client: RawHttp): CellClient {
  return {
    dialect: 'tasks-2026',
    hearsProgress: true,
    async call(name, args) {
      const { result } = await client.request('tools/call', { name, arguments: args });
      const taskId = String(result?.taskId);
      const get = async () => (await client.request('tasks/get', { taskId })).result ?? {};
      const isOver = async () => {
        const { status, inputRequests, ...task } = await get();
        for (const key of Object.keys(inputRequests ?? {})) {
          await client.request('tasks/update', { taskId, inputResponses: { [key]: NAME } });
        }
        return status === 'working' || status === 'input_required' ? undefined : { status, ...task };
      };
      return {
        text: async () => readText((await until(isOver, PATIENCE)) as Message),
        progress: async () => [String((await get()).statusMessage)],
        cancel: async () => void (await client.request('tasks/cancel', { taskId })),
      };
    },
  };
}

function toTasks2025(client: RawHttp): CellClient {
  return {
    dialect: 'tasks-2025',
    hearsProgress: true,
    async call(name, args) {
      const { result } = await client.request('tools/call', { name, arguments: args, task: {} });
      const { taskId } = (result?.task ?? {}) as { taskId?: string };
      return {
        text: async () => readText(await answering(client, client.request('tasks/result', { taskId }))),
        progress: async () => [String((await client.request('tasks/get', { taskId })).result?.statusMessage)],
        cancel: async () => void (await client.request('tasks/cancel', { taskId })),
      };
    },
  };
}

let lastToken = 0;

function toInline(client: RawHttp): CellClient {
  return {
    dialect: 'inline',
    hearsProgress: true,
    async call(name, args) {
      lastToken += 1;
      const progressToken = `cell-${lastToken}`;
      const id = `inline-${lastToken}`;
      const params = { name, arguments: args, _meta: { progressToken } };
      const sent = client.send({ jsonrpc: '2.0', id, method: 'tools/call', params });
      sent.catch(() => {});
      return {
        text: async () => readText(await answering(client, client.answer(id))),
        progress: async () =>
          client.others.flatMap((one) =>
            one.params?.progressToken === progressToken ? [String(one.params.message)] : [],
          ),
        cancel: () =>
          client.send({
            jsonrpc: '2.0',
            method: 'notifications/cancelled',
            params: { requestId: id, reason: 'enough' },
          }),
      };
    },
  };
}

interface Hosted {
  readonly dialect: string;
  readonly server: string;
  readonly meta: object;
  readonly hearsProgress: boolean;
}

function toHosted(host: Host, { dialect, server, meta, hearsProgress }: Hosted): CellClient {
  return {
    dialect,
    hearsProgress,
    async call(name, args) {
      const call = await host.call(server, name, args as never, { meta: meta as never });
      const said: string[] = [];
      void (async () => {
        for await (const update of call.updates()) if ('message' in update) said.push(String(update.message));
      })();
      await call.sent();
      return {
        text: async () => textOf(await call.outcome()),
        progress: async () => said,
        cancel: async () => void (await call.cancel('enough')),
      };
    },
  };
}

/** The same with a person before the prompts of its host. */
function toPrompted(client: CellClient, dir: string): CellClient {
  const log = createPromptLog({ path: join(dir, 'host', 'ui-prompts.jsonl') });
  return {
    ...client,
    async call(name, args) {
      const call = await client.call(name, args);
      const text = async () => {
        let isOver = false;
        const answering = until(async () => {
          for (const { requestId, prompt } of await log.pending()) {
            if (prompt.kind === 'kv') await log.respond(requestId, { status: 'ok', values: { name: 'Ada' } });
          }
          return isOver;
        }, PATIENCE);
        const said = await call.text();
        isOver = true;
        await answering;
        return said;
      };
      return { ...call, text };
    },
  };
}

/** Answers whatever the client is asked, until its answer is there. */
async function answering(client: RawHttp, answer: Promise<Message>): Promise<Message> {
  const answered = new Set<unknown>();
  let isOver = false;
  const watching = until(async () => {
    for (const { id, method } of client.others) {
      if (method !== 'elicitation/create' || answered.has(id)) continue;
      answered.add(id);
      await client.send({ jsonrpc: '2.0', id, result: NAME });
    }
    return isOver;
  }, PATIENCE);
  const message = await answer;
  isOver = true;
  await watching;
  return message;
}

function readText({ result, error }: Message): string {
  if (error) return `${error.code} ${error.message}`;
  const { content = [] } = (result ?? {}) as { content?: { text?: string }[] };
  return content[0]?.text ?? '';
}
