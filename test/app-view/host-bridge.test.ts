/** The view's half of MCP Apps, against the host's half of its authors. */
import { AppBridge, type McpUiHostCapabilities } from '@modelcontextprotocol/ext-apps/app-bridge';
import { until } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CallFollower, findTaskId } from '../../web/src/app-view/call-follower.ts';
import { HostBridge } from '../../web/src/app-view/host-bridge.ts';
import type { HostChannel } from '../../web/src/app-view/host-channel.ts';
import type { JsonObject } from '../../web/src/form/schema.ts';

/** A way between the two that copies what it carries, as `postMessage` does. */
function openChannel() {
  const takers = new Set<(message: unknown) => void>();
  const host = {
    onmessage: undefined as ((message: never) => void) | undefined,
    async start() {},
    async close() {},
    async send(message: object) {
      for (const take of [...takers]) take(structuredClone(message));
    },
  };
  const channel: HostChannel = {
    send: (message) => host.onmessage?.(structuredClone(message) as never),
    listen(take) {
      takers.add(take);
      return () => void takers.delete(take);
    },
  };
  return { host, channel };
}

async function open(capabilities: McpUiHostCapabilities = { serverTools: {} }) {
  const { host, channel } = openChannel();
  const app = new AppBridge(null, { name: 'host', version: '1' }, capabilities, {
    hostContext: {
      theme: 'dark',
      locale: 'zh-CN',
      toolInfo: { tool: { name: 'render', inputSchema: { type: 'object' } } },
    },
  });
  const heard: [string, JsonObject][] = [];
  const hear = (name: string) => (params: JsonObject) => void heard.push([name, params]);
  let isTornDown = false;
  const bridge = new HostBridge({
    channel,
    version: '1',
    events: {
      'ui/notifications/tool-input': hear('input'),
      'ui/notifications/tool-result': hear('result'),
      'ui/notifications/tool-cancelled': hear('cancelled'),
      'ui/notifications/host-context-changed': hear('context'),
    },
    onTeardown() {
      isTornDown = true;
    },
  });
  await app.connect(host as never);
  onTestFinished(async () => {
    bridge.close();
    await app.close();
  });
  return { app, bridge, channel, host, heard, isTornDown: () => isTornDown };
}

describe('the bridge of the view', () => {
  it('[SAND-250] shakes hands with a host, and hears what it tells of the call', async () => {
    const { app, bridge, heard, isTornDown } = await open();
    const initialized = new Promise<void>((resolve) => app.addEventListener('initialized', () => resolve()));
    const { capabilities, context } = await bridge.open();
    await initialized;
    expect(capabilities).toEqual({ serverTools: {} });
    expect(context).toMatchObject({ theme: 'dark', toolInfo: { tool: { name: 'render' } } });
    await app.sendToolInput({ arguments: { year: 2026 } });
    await app.sendToolResult({ content: [{ type: 'text', text: 'done' }] });
    await app.sendToolCancelled({ reason: 'enough' });
    await app.sendHostContextChange({ theme: 'light' });
    expect(heard).toEqual([
      ['input', { arguments: { year: 2026 } }],
      ['result', { content: [{ type: 'text', text: 'done' }] }],
      ['cancelled', { reason: 'enough' }],
      ['context', { theme: 'light' }],
    ]);
    expect(await app.teardownResource({})).toEqual({});
    expect(isTornDown()).toBe(true);
  });

  it('[SAND-251] calls tools by way of the host, and is told why one is refused', async () => {
    const { app, bridge } = await open();
    const initialized = new Promise<void>((resolve) => app.addEventListener('initialized', () => resolve()));
    await bridge.open();
    await initialized;
    app.oncalltool = async ({ name, arguments: args }) => {
      if (name === 'forbidden') throw new Error('not by a view');
      return { content: [], structuredContent: { name, args } };
    };
    expect(await bridge.request('tools/call', { name: 'look', arguments: { a: 1 } })).toMatchObject({
      structuredContent: { name: 'look', args: { a: 1 } },
    });
    await expect(bridge.request('tools/call', { name: 'forbidden' })).rejects.toThrow('not by a view');
  });

  it('[SAND-252] ignores what is no message of the protocol, and refuses what it does not know', async () => {
    const { bridge, host, heard } = await open();
    await bridge.open();
    const answers: unknown[] = [];
    host.onmessage = (message: unknown) => void answers.push(message);
    const odd = [null, 'text', 7, [], {}, { jsonrpc: '1.0', id: 1, method: 'ping' }, { jsonrpc: '2.0' }];
    for (const message of odd) await host.send(message as object);
    await host.send({ jsonrpc: '2.0', id: 99, result: {} });
    await host.send({ jsonrpc: '2.0', method: 'ui/notifications/constructor', params: 7 });
    await host.send({ jsonrpc: '2.0', method: 'toString' });
    expect(answers).toEqual([]);
    await host.send({ jsonrpc: '2.0', id: 'a', method: 'ping' });
    await host.send({ jsonrpc: '2.0', id: 'b', method: 'tools/list' });
    expect(answers).toEqual([
      { jsonrpc: '2.0', id: 'a', result: {} },
      { jsonrpc: '2.0', id: 'b', error: { code: -32601, message: 'Method not found: tools/list' } },
    ]);
    expect(heard).toEqual([]);
  });
});

const HANDED_OVER = { content: [{ type: 'text', text: 'go on' }], _meta: { 'holdfast/task': { taskId: 't-1' } } };
const task = (more: object) => ({
  taskId: 't-1',
  tool: 'render',
  args: {},
  createdAt: 1,
  attempt: 1,
  questions: [],
  ...more,
});

/** A follower whose server answers as it is told. */
function follow(answer: (name: string, args: JsonObject) => object) {
  const asked: [string, JsonObject][] = [];
  const problems: string[] = [];
  const follower = new CallFollower({
    everyMs: 1,
    now: () => 1000,
    learnTime: () => {},
    whenShown: async () => {},
    onChange: ({ problem }) => void (problem !== undefined && problems.push(problem)),
    async callTool(name, args) {
      asked.push([name, args]);
      return answer(name, args) as JsonObject;
    },
  });
  onTestFinished(() => follower.close());
  return { follower, asked, problems };
}

const over = (follower: CallFollower) => until(() => follower.call.phase === 'over', { what: 'the end' });

describe('how a view follows its call', () => {
  it('[SAND-253] asks by arguments first, by the id once the call is handed over, and no more when it has ended', async () => {
    const { follower, asked } = follow((_, { task_id }) => {
      if (task_id === undefined) return { structuredContent: { now: 5 } };
      const isLast = asked.filter(([, args]) => args.task_id !== undefined).length > 2;
      return {
        structuredContent: { now: 5, task: task(isLast ? { outcome: { kind: 'cancelled', reason: 'x' } } : {}) },
      };
    });
    follower.open('render', true);
    expect(asked).toEqual([]);
    follower.takeInput({ year: 1 });
    await until(() => asked.length > 1, { what: 'a second look' });
    follower.takeResult(HANDED_OVER);
    await over(follower);
    expect(asked[0]).toEqual(['holdfast_task_view', { tool: 'render', arguments: { year: 1 } }]);
    expect(asked.at(-1)).toEqual(['holdfast_task_view', { task_id: 't-1' }]);
    const { length } = asked;
    follower.takeInput({ year: 2 });
    expect(asked).toHaveLength(length);
    expect(follower.call.task?.outcome).toEqual({ kind: 'cancelled', reason: 'x' });
  });

  it('[SAND-254] shows a result that came at once, and a cancel, without asking', async () => {
    const plain = follow(() => ({}));
    plain.follower.open(undefined, true);
    plain.follower.takeInput({});
    plain.follower.takeResult({ content: [{ type: 'text', text: 'done' }] });
    expect(plain.follower.call).toMatchObject({ phase: 'over', result: { content: [{ text: 'done' }] } });
    const stopped = follow(() => ({}));
    stopped.follower.open(undefined, true);
    stopped.follower.takeCancelled('enough');
    expect(stopped.follower.call).toMatchObject({ phase: 'over', cancelled: 'enough' });
    expect([...plain.asked, ...stopped.asked]).toEqual([]);
  });

  it('[SAND-254] believes the answer to the call more than a task with the same arguments', async () => {
    const { follower, asked } = follow((_, { task_id = 'other' }) => ({
      structuredContent: { now: 5, task: task({ taskId: task_id, outcome: { kind: 'cancelled', reason: 'x' } }) },
    }));
    follower.open('render', true);
    follower.takeInput({});
    await over(follower);
    expect(follower.call.task?.taskId).toBe('other');
    follower.takeResult(HANDED_OVER);
    expect(follower.call).toMatchObject({ phase: 'following', isHandedOver: true });
    expect(follower.call.task).toBeUndefined();
    await over(follower);
    expect(follower.call.task?.taskId).toBe('t-1');
    expect(asked.at(-1)).toEqual(['holdfast_task_view', { task_id: 't-1' }]);
    const plain = follow(() => ({
      structuredContent: { now: 5, task: task({ outcome: { kind: 'expired', reason: '' } }) },
    }));
    plain.follower.open('render', true);
    plain.follower.takeInput({});
    await over(plain.follower);
    plain.follower.takeResult({ content: [{ type: 'text', text: 'mine' }] });
    expect(plain.follower.call).toMatchObject({ phase: 'over', result: { content: [{ text: 'mine' }] } });
    expect(plain.follower.call.task).toBeUndefined();
  });

  it('[SAND-255] asks nothing where the host forbids it, and shows the words instead', () => {
    const { follower, asked } = follow(() => ({}));
    follower.open('render', false);
    follower.takeInput({});
    follower.takeResult(HANDED_OVER);
    expect(asked).toEqual([]);
    expect(follower.call).toMatchObject({ phase: 'following', result: HANDED_OVER });
  });

  it('[SAND-256] goes on after a look that failed, and ends when the task is not there', async () => {
    let looks = 0;
    const { follower, problems } = follow(() => {
      looks += 1;
      if (looks === 1) throw new Error('the line was cut');
      if (looks === 2) return { structuredContent: { now: 5, task: task({}) } };
      return {
        isError: true,
        content: [{ type: 'text', text: 'gone' }],
        structuredContent: { code: 'TASK_NOT_FOUND' },
      };
    });
    follower.open('render', true);
    follower.takeResult(HANDED_OVER);
    await over(follower);
    expect(problems).toEqual(['the line was cut', 'gone']);
    expect(follower.call).toMatchObject({ problem: 'gone', task: { taskId: 't-1' } });
  });

  it('[SAND-257] finds the task of a hand-over also where the host keeps _meta to itself', () => {
    const words = 'x is still running.\nThis is not the result and nothing went wrong: the work goes on.\n';
    const content = [{ type: 'text', text: `${words}call task_wait with {"task_id":"t-2","turn":1}.` }];
    expect(findTaskId({ content })).toBe('t-2');
    expect(findTaskId(HANDED_OVER)).toBe('t-1');
    expect(findTaskId({ content: [{ type: 'text', text: '{"task_id":"t-3"}' }] })).toBeUndefined();
    expect(findTaskId({})).toBeUndefined();
  });
});
