import { type HoldfastServer, OPERATOR, type ServerOptions, type TaskClient } from 'holdfast';
import { until } from 'holdfast/testing';
import { expect, onTestFinished } from 'vitest';
import { z } from 'zod';
import { type HttpRig, type Message, openHttp, postModern, type RawRequest, readJson } from '../server/open-http.ts';

export const EXTENSION = { 'io.modelcontextprotocol/tasks': {} };
/** What -32021 says is missing. */
export const REQUIRED = { requiredCapabilities: { extensions: EXTENSION } };
/** The whole of an acknowledgement; every result says which server it is from. */
export const ACK = {
  resultType: 'complete',
  _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'test', version: '1.0.0' } },
};

type Result = NonNullable<Message['result']>;
type More = Omit<RawRequest, 'method' | 'params'>;

/** A client of 2026-07-28 that declares tasks and every kind of input, unless told otherwise. */
export interface Modern extends HttpRig {
  readonly url: string;
  /** One request; its HTTP status and its answer. */
  send(method: string, params?: Record<string, unknown>, more?: More): Promise<{ status: number; answer: Message }>;
  /** The result of one request that must succeed. */
  ask(method: string, params?: Record<string, unknown>, more?: More): Promise<Result>;
  /** Calls a tool that takes long; the id of its task. */
  start(tool: string, args?: object, more?: More): Promise<string>;
  /** What `tasks/get` says. */
  get(taskId: string, more?: More): Promise<Result>;
  /** Polls until the task has this status. */
  untilStatus(taskId: string, status: string): Promise<Result>;
  update(taskId: string, inputResponses: object, more?: More): Promise<{ status: number; answer: Message }>;
}

export const EVERYTHING = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

export async function openModern(options: Partial<ServerOptions> = {}): Promise<Modern> {
  const rig = await openHttp();
  // A server that closes gives its work time to end.
  onTestFinished(() => cancelAll(rig.tasks));
  return speakModern(rig, await rig.serve(options, addSpecTools));
}

/** The same client before another server. */
export function speakModern(rig: HttpRig, url: string): Modern {
  const send: Modern['send'] = async (method, params = {}, more = {}) => {
    const response = await postModern(url, { tasks: true, capabilities: EVERYTHING, ...more, method, params });
    return { status: response.status, answer: await readJson(response) };
  };
  const ask: Modern['ask'] = async (method, params, more) => {
    const { answer } = await send(method, params, more);
    expect(answer.error).toBeUndefined();
    return answer.result ?? {};
  };
  const get: Modern['get'] = (taskId, more) => ask('tasks/get', { taskId }, more);
  return {
    ...rig,
    url,
    send,
    ask,
    get,
    async start(name, args = {}, more) {
      const { resultType, taskId } = await ask('tools/call', { name, arguments: args }, more);
      expect(resultType).toBe('task');
      return String(taskId);
    },
    untilStatus: (taskId, status) =>
      until(
        async () => {
          const task = await get(taskId);
          return task.status === status && task;
        },
        { what: `task ${taskId} to be ${status}` },
      ),
    update: (taskId, inputResponses, more) => send('tasks/update', { taskId, inputResponses }, more),
  };
}

async function cancelAll(tasks: TaskClient): Promise<void> {
  const { tasks: all } = await tasks.list({}, { principal: OPERATOR });
  await Promise.all(all.map(({ taskId }) => tasks.cancel(taskId, { principal: OPERATOR })));
}

const Name = z.object({ name: z.string() });

/** One tool for every way a task can go. */
export function addSpecTools(server: HoldfastServer): void {
  server.mcp((mcp) => {
    mcp.registerPrompt('hello', {}, () => ({ messages: [] }));
    mcp.registerResource('page', 'test://page', {}, () => ({ contents: [{ uri: 'test://page', text: 'page' }] }));
  });
  server.tool('always', { task: 'always', run: () => 'done' });
  server.tool('fails', {
    inlineMs: 0,
    run() {
      throw new Error('no ink');
    },
  });
  server.tool('refuses', {
    inlineMs: 0,
    run() {
      throw Object.assign(new Error('no such printer'), { code: -32004, data: { printer: 'p1' } });
    },
  });
  server.tool('noisy', {
    inlineMs: 0,
    async run(_, task) {
      await task.log('error', 'loud');
      await task.progress(0.5, 'half');
      await task.log('info', 'still loud');
      return 'quiet';
    },
  });
  server.tool('upfront', {
    task: 'always',
    upfront: () => ({ who: { message: 'Who?', schema: Name } }),
    run: (_, task) => `Hello, ${(task.upfront.who as { name: string }).name}`,
  });
  addAskingTools(server);
}

function addAskingTools(server: HoldfastServer): void {
  server.tool('two', {
    inlineMs: 0,
    async run(_, task) {
      const ask = (key: string) => task.ask({ key, message: `${key}?`, schema: Name });
      const [a, b] = await Promise.all([ask('a'), ask('b')]);
      return `${a.name} and ${b.name}`;
    },
  });
  server.tool('series', {
    inlineMs: 0,
    async run(_, task) {
      const first = await task.ask({ message: 'First?', schema: Name });
      const second = await task.ask({ message: 'Second?', schema: Name });
      return `${first.name} then ${second.name}`;
    },
  });
  server.tool('reuse', {
    inlineMs: 0,
    async run(_, task) {
      await task.ask({ key: 'k', message: 'First?', schema: Name });
      await task.ask({ key: 'k', message: 'Second?', schema: Name });
      return 'asked twice';
    },
  });
  server.tool('everything', {
    inlineMs: 0,
    async run(_, task) {
      await Promise.all([
        task.ask({ key: 'form', message: 'Who?', schema: Name }),
        task.ask({ key: 'url', message: 'Look', url: 'https://example.com/sign-in' }),
        task.ask({ key: 'sampling', sampling: { messages: [], maxTokens: 10 } }),
        task.ask({ key: 'roots', roots: true }),
      ]);
      return 'answered';
    },
  });
}

/** The response that fills in a name. */
export const named = (name: unknown) => ({ action: 'accept', content: { name } });
